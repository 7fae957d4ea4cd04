import subprocess,re,sys
base='939f7cf'
out=subprocess.check_output(['git','diff','-M40%','--name-status',base,'HEAD'],text=True).strip().split('\n')
def code(t):
    # strip comments and strings crudely
    t=re.sub(r'/\*[\s\S]*?\*/','',t)
    t=re.sub(r'(?m)(^|\s)//.*$','',t)
    t=re.sub(r"'(?:[^'\\\n]|\\.)*'","''",t)
    t=re.sub(r'"(?:[^"\\\n]|\\.)*"','""',t)
    return re.findall(r'[A-Za-z_$][\w$]*|\S',t)
import difflib,collections
tot=0
for l in out:
    p=l.split('\t')
    if p[0][0] not in 'MR' or not re.search(r'\.(tsx?|mjs|js|css)$',p[-1]): 
        print(l); continue
    a=subprocess.check_output(['git','show',f'{base}:{p[1]}'],text=True);b=open(p[-1]).read()
    A,B=code(a),code(b)
    if A==B: continue
    c=collections.Counter()
    for tag,i,j,k,m in difflib.SequenceMatcher(None,A,B,autojunk=False).get_opcodes():
        if tag!='equal': c[(' '.join(A[i:j])+' -> '+' '.join(B[k:m]))[:160]]+=1
    print(p[-1]); 
    for k,v in c.items(): print('    ',v,k)
