import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const SCRIPT = join(import.meta.dirname, '../../../scripts/totp.mjs');
/** The secret of RFC 6238, `12345678901234567890`, in base32. */
const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';

interface Result {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

const totp = (...args: string[]): Promise<Result> =>
  new Promise((resolve) => {
    const child = execFile(process.execPath, [SCRIPT, ...args], (_error, out, err) =>
      resolve({ code: child.exitCode ?? -1, out, err }),
    );
  });

describe('scripts/totp.mjs', () => {
  it('prints the codes of RFC 6238, appendix B', async () => {
    for (const [time, code] of [
      ['59', '287082'],
      ['1111111109', '081804'],
      ['20000000000', '353130'],
    ] as const) {
      expect(await totp(SECRET, '--at', time), time).toEqual({ code: 0, out: `${code}\n`, err: '' });
    }
  });

  it('--next prints the code of 30 seconds later', async () => {
    expect((await totp(SECRET, '--next', '--at', '1111111079')).out).toBe('081804\n');
    expect((await totp('--at', '29', '--next', SECRET)).out).toBe('287082\n');
  });

  it('uses the current time by default', async () => {
    const at = (time: number) => totp(SECRET, '--at', String(Math.floor(time / 1000)));
    const start = Date.now();
    const { out } = await totp(SECRET);
    // The step may end while the script runs.
    expect([(await at(start)).out, (await at(Date.now())).out]).toContain(out);
  });

  it('ignores case, spaces and padding', async () => {
    const grouped = SECRET.toLowerCase().replace(/.{4}/g, '$& ');
    expect((await totp(...grouped.trim().split(' '), '--at', '59')).out).toBe('287082\n');
    // The secret `abc`: its last base32 character is only partly used.
    expect((await totp('MFRGG===', '--at', '59')).out).toBe('151739\n');
  });

  it.each([
    ['no secret', [], 'The secret is missing'],
    ['a secret that is not base32', ['GEZDGNB1'], 'The secret must be base32'],
    ['an incomplete secret', ['GEZDGNBVG'], 'The secret is incomplete'],
    ['a missing time', [SECRET, '--at'], "Option '--at <value>' argument missing"],
    ['an invalid time', [SECRET, '--at', 'noon'], '--at must be a Unix time'],
    ['an unknown option', [SECRET, '--previous'], "Unknown option '--previous'"],
  ])('%s: exits with 2 and one line', async (_name, args, sentence) => {
    const { code, out, err } = await totp(...args);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(sentence);
    expect(err.trim().split('\n')).toHaveLength(1);
  });

  it('--help prints the usage', async () => {
    const { code, out } = await totp('--help');
    expect(code).toBe(0);
    expect(out).toMatch(/^Usage: node scripts\/totp\.mjs <secret>/);
  });
});
