import re,subprocess,os
os.chdir('/work/c-web/packages/web/src')
mv=[('app/step-up/ways-in.ts','app/step-up/sign-in-methods.ts'),('hosted/sign-in/Ways.tsx','hosted/sign-in/SignInMethods.tsx'),('hosted/sign-in/Ways.module.css','hosted/sign-in/SignInMethods.module.css'),('console/Door.tsx','console/ConsoleAccess.tsx'),('console/door','console/access'),('hosted/invitation/Letter.tsx','hosted/invitation/InvitationFrame.tsx'),('hosted/invitation/Newcomer.tsx','hosted/invitation/NewAccount.tsx'),('hosted/invitation/SomebodyElse.tsx','hosted/invitation/OtherUser.tsx'),('hosted/invitation/AsMyself.tsx','hosted/invitation/InvitedUser.tsx'),('hosted/invitation/kept.ts','hosted/invitation/stored-token.ts'),('hosted/home/Newcomer.tsx','hosted/home/GettingStarted.tsx'),('hosted/home/Newcomer.module.css','hosted/home/GettingStarted.module.css')]
for a,b in mv: subprocess.check_call(['git','mv',a,b])
files=[f for f in subprocess.check_output(['git','ls-files','.'],text=True).split('\n') if re.search(r'\.tsx?$',f) and '/text/' not in f]
ch=[]
def key(l):
    s=re.search(r"'([^']+)'",l)[1]
    return [(c.lower(),c.islower()) for c in s]
for f in files:
    t=o=open(f).read()
    t=t.replace("step-up/ways-in.ts'","step-up/sign-in-methods.ts'").replace("'./ways-in.ts'","'./sign-in-methods.ts'")
    if f.startswith('hosted/sign-in/'): t=t.replace("./Ways.","./SignInMethods."); t=re.sub(r'\bWays\b','SignInMethods',t)
    if f in('console/ConsoleAccess.tsx','app/router.tsx'):
        t=t.replace("./door/","./access/").replace("console/Door.tsx","console/ConsoleAccess.tsx"); t=re.sub(r"\bDoor\b",'ConsoleAccess',t)
    if f.startswith('hosted/invitation/') or f.startswith('hosted/signed-out'):
        for a,b in [('Letter','InvitationFrame'),('Newcomer','NewAccount'),('SomebodyElse','OtherUser'),('AsMyself','InvitedUser')]: t=re.sub(r'\b%s\b'%a,b,t)
        t=t.replace("/kept.ts'","/stored-token.ts'")
    if f.startswith('hosted/home/'): t=re.sub(r'\bNewcomer\b','GettingStarted',t)
    if t!=o or f.startswith('hosted/mfa/') or f=='hosted/sign-in/Steps.tsx':
        ls=t.split('\n')
        i=0
        while i<len(ls):
            m=re.match(r"import .* from '((?:\.\./)+|\./)",ls[i])
            if m:
                j=i
                while j<len(ls) and re.match(r"import .* from '"+re.escape(m[1])+r"[^.]",ls[j]): j+=1
                seg=sorted(ls[i:j],key=key)
                if seg!=ls[i:j]: print('sorted',f)
                ls[i:j]=seg;i=max(j,i+1)
            else:i+=1
        t='\n'.join(ls)
        if t!=o: open(f,'w').write(t); ch.append(f)
print(ch)
