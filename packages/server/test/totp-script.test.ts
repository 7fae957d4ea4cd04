import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const SCRIPT = join(import.meta.dirname, '../../../scripts/totp.mjs');
/** `12345678901234567890`, the secret of the RFC. */
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
      ['1111111111', '050471'],
      ['1234567890', '005924'],
      ['2000000000', '279037'],
      ['20000000000', '353130'],
    ] as const) {
      expect(await totp(SECRET, '--at', time), time).toEqual({ code: 0, out: `${code}\n`, err: '' });
    }
  });

  it('--next is the code thirty seconds later', async () => {
    expect((await totp(SECRET, '--next', '--at', '1111111079')).out).toBe('081804\n');
    expect((await totp('--at', '29', '--next', SECRET)).out).toBe('287082\n');
  });

  it('is about now when no time is given', async () => {
    const at = (time: number) => totp(SECRET, '--at', String(Math.floor(time / 1000)));
    const start = Date.now();
    const { out } = await totp(SECRET);
    // The step may end while it runs.
    expect([(await at(start)).out, (await at(Date.now())).out]).toContain(out);
  });

  it('lower case, spaces and padding do not matter', async () => {
    const grouped = SECRET.toLowerCase().replace(/.{4}/g, '$& ');
    expect((await totp(grouped, '--at', '59')).out).toBe('287082\n');
    expect((await totp(...grouped.trim().split(' '), '--at', '59')).out).toBe('287082\n');
    // `abc`, which does not end with a whole letter.
    for (const secret of ['MFRGG', 'MFRGG===']) expect((await totp(secret, '--at', '59')).out).toBe('151739\n');
  });

  it.each([
    ['no secret', [], 'The secret is missing'],
    ['a blank one', ['  ='], 'The secret is missing'],
    ['no base32', ['GEZDGNB1'], 'The secret must be base32'],
    ['padding in the middle', ['GEZD==BV'], 'The secret must be base32'],
    ['a letter too many', ['GEZDGNBVG'], 'The secret is incomplete'],
    ['no time', [SECRET, '--at'], "Option '--at <value>' argument missing"],
    ['a time that is none', [SECRET, '--at', 'noon'], '--at must be a Unix time'],
    ['a negative one', [SECRET, '--at=-1'], '--at must be a Unix time'],
    ['an option nobody knows', [SECRET, '--previous'], "Unknown option '--previous'"],
  ])('%s: one sentence, exit code 2', async (_name, args, sentence) => {
    const { code, out, err } = await totp(...args);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(sentence);
    expect(err.trim().split('\n')).toHaveLength(1);
  });

  it('--help tells how it is called', async () => {
    const { code, out } = await totp('--help');
    expect(code).toBe(0);
    expect(out).toMatch(/^Usage: node scripts\/totp\.mjs <secret>/);
  });
});
