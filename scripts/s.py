import re,subprocess
fs=subprocess.check_output(['git','grep','-lE',"'./people.ts'|'./Metrics.tsx'",'--','.'],text=True).split()
def key(l):
    s=re.search(r"'([^']+)'",l)[1]
    return [(c.lower(),c.islower()) for c in s]
for f in fs:
    t=open(f).read().replace("'./people.ts'","'./enter-as.ts'");ls=t.split('\n')
    idx=[i for i,l in enumerate(ls) if re.match(r"import .* from '\./",l)]
    assert idx==list(range(idx[0],idx[-1]+1)),f
    ls[idx[0]:idx[-1]+1]=sorted(ls[idx[0]:idx[-1]+1],key=key)
    open(f,'w').write('\n'.join(ls))
