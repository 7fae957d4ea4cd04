import { beforeAll, describe, expect, it } from 'vitest';
import { registerUser, type TestUser } from '../../../test/browser.ts';
import { useTestApp } from '../../../test/harness.ts';
import { createKey } from '../../domain/machines/key-format.ts';
import { examineKey } from './api-keys.ts';

const app = useTestApp();
let owner: TestUser;
let accounts: string;
let account_id: string;
beforeAll(async () => {
  owner = await registerUser(app, { organization_name: 'Analytical Engines' });
  accounts = `/orgs/${owner.organization_id}/service-accounts`;
  account_id = (await owner.browser.post(accounts, { name: 'Nightly import' })).json.id;
});

const newKey = async (body = {}) =>
  (await owner.browser.post(`${accounts}/${account_id}/keys`, { name: 'Production', ...body })).json;

async function examine(text: string): Promise<{ code: number; output: string }> {
  const { code, lines } = await examineKey({ db: app.deps.db, clock: app.clock }, text);
  const output = lines.join('\n');
  // The output must not contain the secret part of the key.
  if (text.length > 40) expect(output).not.toContain(text.slice(17, 60));
  return { code, output };
}

describe('api-keys check', () => {
  it('an active key: exit code 0, with organization, service account and prefix', async () => {
    const { key, prefix } = await newKey();
    const { code, output } = await examine(key);
    expect(code).toBe(0);
    for (const part of [`${prefix} is an active key`, 'Nightly import', 'Analytical Engines', owner.organization_id]) {
      expect(output).toContain(part);
    }
  });

  it('an active key of a disabled account: exit code 0, and the output says that the account is disabled', async () => {
    const { key } = await newKey();
    await owner.browser.send('PATCH', `${accounts}/${account_id}`, { body: { disabled: true } });
    expect(await examine(key)).toMatchObject({ code: 0, output: expect.stringContaining('disabled') });
    await owner.browser.send('PATCH', `${accounts}/${account_id}`, { body: { disabled: false } });
  });

  it('a revoked or expired key: exit code 3', async () => {
    const { key, id } = await newKey();
    await owner.browser.send('DELETE', `${accounts}/${account_id}/keys/${id}`);
    expect(await examine(key)).toMatchObject({ code: 3, output: expect.stringContaining('has ended at') });
    const expires_at = new Date(app.clock.now().getTime() + 60_000).toISOString();
    const short = await newKey({ expires_at });
    expect(await examine(short.key)).toMatchObject({ code: 0, output: expect.stringContaining(`ends: ${expires_at}`) });
    app.clock.advance(61);
    expect(await examine(short.key)).toMatchObject({ code: 3, output: expect.stringContaining(expires_at) });
  });

  it.each([
    ['a well-formed key of another service', () => createKey().key, 'It is unknown'],
    ['a mistyped key', () => `${createKey().key.slice(0, -1)}-`, 'its form or its checksum is wrong'],
    ['any other text', () => 'hunter2', 'its form or its checksum is wrong'],
    ['nothing', () => '', 'its form or its checksum is wrong'],
  ])('%s: exit code 4', async (_, text, reason) => {
    expect(await examine(text())).toMatchObject({ code: 4, output: expect.stringContaining(reason) });
  });
});
