import { describe, expect, it } from 'vitest';
import { checkColumns, checkComments, checkNames, checkPhrases, checkSubject } from './check-words.mjs';

const long = 'word '.repeat(30);

describe('the check of words', () => {
  it('reports a name that contains a replaced word, with its line and the term to use', () => {
    expect(checkNames('a.ts', 'const one = 1;\nconst UPLOAD_PATIENCE = 8;')).toEqual([
      'a.ts:2 UPLOAD_PATIENCE: use timeoutMs, maxDiscardBytes, timeoutFactor',
    ]);
    expect(checkNames('a.ts', 'findSeat(id)')).toHaveLength(1);
  });

  it('ignores a replaced word inside a longer word, a string or a comment', () => {
    expect(checkNames('a.ts', "// a seat\nconst outstanding = 'seat'; /* judge\n judge */")).toEqual([]);
  });

  it('reports phrases in texts that users read, in any case', () => {
    expect(checkPhrases('en.ts', "over: 'The link has Run out'")).toHaveLength(1);
    expect(checkPhrases('en.ts', "over: 'The link has expired'")).toEqual([]);
  });

  it('reports long prose, but no table, no code block and no line that cannot be broken', () => {
    expect(checkColumns('a.md', long)).toHaveLength(1);
    expect(checkColumns('a.md', `| ${long} |\n\`\`\`\n${long}\n\`\`\`\n${'x'.repeat(150)}`)).toEqual([]);
  });

  it('reports long comments, but no long code', () => {
    expect(checkComments('a.ts', `  // ${long}\n/** ${long} */`)).toHaveLength(2);
    expect(checkComments('a.ts', `const text = '${long}';`)).toEqual([]);
  });

  it('requires a type and at most 72 characters of a commit subject', () => {
    expect(checkSubject('fix(mfa): count a wrong code once')).toEqual([]);
    expect(checkSubject('Fix the code')).toHaveLength(1);
    expect(checkSubject(`fix(mfa): ${long}`)).toHaveLength(1);
  });
});
