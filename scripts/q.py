import re,os,glob
for md in ['docs/asvs.md','docs/threat-model.md','docs/security.md','SECURITY.md','trust/README.md']:
    for m in re.finditer(r'`((?:packages/(?:web|client|verify)|examples)/[^`]*\.test\.ts)`: ((?:"[^"]*"(?:, | and )?)+)',open(md).read()):
        t=open(m[1]).read() if os.path.exists(m[1]) else ''
        for q in re.findall(r'"([^"]*)"',m[2]):
            print('ok ' if q in t else 'MISSING',md,m[1],'|',q)
