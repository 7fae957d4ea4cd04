import { describe, expect, it } from 'vitest';
import { runProgram } from './program.ts';

async function run(args: readonly string[]) {
  let [out, err] = ['', ''];
  const code = await runProgram(args, {
    writeOut: (text) => {
      out += text;
    },
    writeErr: (text) => {
      err += text;
    },
  });
  return { code, out, err };
}

const PASSWORD = 'correct horse battery staple';
const createOrg = (...args: string[]) => ['admin', 'create-org', ...args];

describe('the command line', () => {
  it.each([
    [[], 'Usage: gatehouse [options] [command]'],
    [['serve'], 'Usage: gatehouse serve'],
    [['doctor'], 'Usage: gatehouse doctor'],
    [['migrate'], 'Usage: gatehouse migrate'],
    [['api-keys'], 'Usage: gatehouse api-keys'],
    [['api-keys', 'check'], 'Exit codes: 0 a key of this service that has not ended'],
    [['keys'], 'Usage: gatehouse keys'],
    [['keys', 'rotate'], 'Usage: gatehouse keys rotate'],
    [['keys', 'rewrap'], 'Usage: gatehouse keys rewrap'],
    [['policy'], 'Usage: gatehouse policy'],
    [['policy', 'reset'], 'Usage: gatehouse policy reset'],
    [['config-key'], 'Usage: gatehouse config-key'],
    [['config-key', 'rotate'], 'Usage: gatehouse config-key rotate'],
    [['admin'], 'Usage: gatehouse admin'],
    [['admin', 'grant'], 'Usage: gatehouse admin grant'],
    [['admin', 'revoke'], 'Usage: gatehouse admin revoke'],
    [createOrg(), 'Usage: gatehouse admin create-org'],
    [['export'], 'docs/migrating.md'],
    [['import'], 'docs/migrating.md'],
  ])('%j --help exits with 0', async (args, expected) => {
    const { code, out, err } = await run([...args, '--help']);
    expect(code).toBe(0);
    expect(out).toContain(expected);
    expect(err).toBe('');
  });

  it('--version exits with 0', async () => {
    expect(await run(['--version'])).toEqual({ code: 0, out: expect.stringMatching(/^\d+\.\d+\.\d+/), err: '' });
  });

  it.each([
    [[]],
    [['nonsense']],
    [['serve', '--nonsense']],
    [['keys']],
    [['keys', 'nonsense']],
    [['api-keys']],
    [['api-keys', 'check', 'a', 'b']],
    [['config-key']],
    [['config-key', 'nonsense']],
    [['audit']],
    [['audit', 'verify']],
    [['audit', 'check', 'x']],
    [['admin']],
    [['admin', 'nonsense']],
    [['admin', 'grant']],
    [['admin', 'grant', 'not-an-address']],
    [['admin', 'grant', 'a@example.com', 'b@example.com']],
    [['admin', 'grant', 'a@example.com', '--role', 'god']],
    [['admin', 'grant', 'a@example.com', '--role']],
    [['admin', 'revoke']],
    [['admin', 'revoke', 'a@example.com', '--role', 'admin']],
    [createOrg()],
    [createOrg('--owner-email', 'a@example.com')],
    [createOrg('--name', ' ', '--owner-email', 'a@example.com')],
    [createOrg('--name', 'x'.repeat(121), '--owner-email', 'a@example.com')],
    [createOrg('--name', 'Example', '--owner-email', 'nobody')],
    [createOrg('--name', 'Example', '--owner-email', 'a@example.com', '--slug', 'Not A Slug')],
    [createOrg('--name', 'Example', '--owner-email', 'a@example.com', '--owner-display-name', 'a\nb')],
    [createOrg('--name', 'Example', '--owner-email', 'a@example.com', '--password', PASSWORD)],
    [['export']],
    [['export', 'a', 'b']],
    [['export', 'a', '--nonsense']],
    [['import']],
    [['import', 'whole', '--dry-run']],
    [['import', 'users.json', '--from', 'auth0', '--passphrase-file', 'passphrase']],
  ])('%j exits with 2', async (args) => {
    const { code, out, err } = await run(args);
    expect(code).toBe(2);
    expect(out).toBe('');
    expect(err.length).toBeGreaterThan(0);
  });
});
