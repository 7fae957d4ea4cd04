import sys,re
# usage: r.py base < edits ; format: "@@ path" then blocks "<<<\nold\n===\nnew\n>>>" ; "<<<*" = all occurrences ; "~ old => new" word rename in file
base=sys.argv[1]
path=None;txt=None;n=0;bad=0
def flush():
    if path: open(base+'/'+path,'w').write(txt)
lines=sys.stdin.read().split('\n');i=0
while i<len(lines):
    l=lines[i]
    if l.startswith('@@ '):
        flush(); path=l[3:].strip(); txt=open(base+'/'+path).read()
    elif l.startswith('~ '):
        a,b=l[2:].split(' => ');c=len(re.findall(r'(?<![\w$])'+re.escape(a)+r'(?![\w$])',txt))
        if not c: print('NORENAME',path,a);bad+=1
        txt=re.sub(r'(?<![\w$])'+re.escape(a)+r'(?![\w$])',lambda m:b,txt);n+=1
    elif l.startswith('- ') or l.startswith('-* '):
        # one-line: "- old => new"
        al=l.startswith('-* ');body=l[3:] if al else l[2:]
        a,b=body.split(' => ') if ' => ' in body else (body,None)
        raise SystemExit('unused')
    elif l.startswith('<<<'):
        al=l.startswith('<<<*');i+=1;o=[];nw=[]
        while lines[i]!='===': o.append(lines[i]);i+=1
        i+=1
        while lines[i]!='>>>': nw.append(lines[i]);i+=1
        o='\n'.join(o);
        nwt='\n'.join(nw)
        c=txt.count(o)
        if c==0 or (c>1 and not al): print('BAD',c,path,repr(o[:120]));bad+=1
        else:
            if not nw: # delete whole lines
                txt=txt.replace(o+'\n','')if o+'\n' in txt else txt.replace(o,'')
            else: txt=txt.replace(o,nwt)
            n+=1
            for q in nwt.split('\n'):
                if len(q)>120: print('LONG',path,len(q),q[:60])
    elif l.strip(): print('??',l)
    i+=1
flush();print('edits',n,'bad',bad)
