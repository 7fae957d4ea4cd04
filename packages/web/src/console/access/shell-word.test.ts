import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { shellWord } from './shell-word.ts';

describe('shellWord', () => {
  it('does not quote plain text', () => {
    expect(shellWord('ada.l+gate-1@example.com')).toBe('ada.l+gate-1@example.com');
  });

  it.each(['`id`@example.com', '$HOME@example.com', "o'hara@example.com", 'a&b|c@example.com', 'ü@example.com'])(
    'quotes text so that the shell passes it unchanged: %s',
    (email) => {
      expect(execFileSync('sh', ['-c', `printf %s ${shellWord(email)}`], { encoding: 'utf8' })).toBe(email);
    },
  );
});
