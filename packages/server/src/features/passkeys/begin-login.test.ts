import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addPasskey, createAuthenticator } from '../../../test/authenticator.ts';
import { createBrowser, newEmail, registerUser } from '../../../test/browser.ts';
import { countingRows, setUser } from '../../../test/records.ts';
import { createKeyring } from '../../platform/crypto/keyring.ts';
import { decoysFor } from './decoys.ts';
import { type PasskeyTests, startPasskeys } from './passkey-fixture.ts';

let tests: PasskeyTests;
beforeAll(async () => {
  tests = await startPasskeys();
});
afterAll(() => tests.app.close());

interface Options {
  readonly challenge: string;
  readonly allowCredentials: { id: string; type: string; transports: string[] }[];
}

const begin = async (email?: string) => (await tests.begin(email)) as Options;
const shown = async (email: string) => (await begin(email)).allowCredentials;

describe('POST /auth/passkey/login/begin', () => {
  it('200: the passkeys of this email, oldest first', async () => {
    const user = await tests.withPasskey();
    tests.app.clock.advance(1);
    const second = createAuthenticator({ transports: ['usb'] });
    await addPasskey(user.browser, second);
    expect(await begin(user.email)).toEqual({
      rpId: 'localhost',
      challenge: expect.stringMatching(/^[\w-]{66}$/),
      timeout: 300_000,
      userVerification: 'required',
      allowCredentials: [
        { id: user.device.id, type: 'public-key', transports: ['hybrid', 'internal'] },
        { id: second.id, type: 'public-key', transports: ['usb'] },
      ],
    });
  });

  it('200: of more than five passkeys the five last used, oldest first, so that the number reveals nothing', async () => {
    const user = await tests.withPasskey();
    const devices = [user.device];
    for (let index = 1; index < 7; index++) {
      tests.app.clock.advance(1);
      devices.push(createAuthenticator());
      await addPasskey(user.browser, devices[index]!);
    }
    const ids = (...chosen: number[]) => chosen.map((index) => devices[index]!.id);
    const offered = async () => (await shown(user.email)).map(({ id }) => id);
    expect(await offered()).toEqual(ids(2, 3, 4, 5, 6));
    tests.app.clock.advance(1);
    // Without an email in the request, every passkey can be used.
    expect((await tests.complete(devices[0]!.get(await tests.begin()))).status).toBe(200);
    expect(await offered()).toEqual(ids(0, 3, 4, 5, 6));
  });

  it('200 without an email: no list, and no query to the database', async () => {
    const { result, statements } = await tests.recorded(() => begin());
    expect(result).toEqual({
      rpId: 'localhost',
      challenge: expect.stringMatching(/^[\w-]{66}$/),
      timeout: 300_000,
      userVerification: 'required',
    });
    expect(statements).toEqual([]);
  });

  it('200 without a body', async () => {
    const answer = await createBrowser(tests.app).post('/auth/passkey/login/begin');
    expect(answer.json).toMatchObject({ publicKey: { challenge: expect.any(String) } });
  });

  it('the relying party is the host of PUBLIC_BASE_URL', async () => {
    const elsewhere = await startPasskeys({ environment: { PUBLIC_BASE_URL: 'https://id.example.com:8443' } });
    expect(await elsewhere.begin()).toMatchObject({ rpId: 'id.example.com' });
    const device = createAuthenticator({ origin: 'https://id.example.com:8443' });
    const user = await elsewhere.withPasskey(device);
    expect((await elsewhere.signIn(user)).status).toBe(200);
    expect((await elsewhere.signIn(user, { origin: 'https://id.example.com' })).status).toBe(401);
    await elsewhere.app.close();
  });

  it('a challenge is never repeated', async () => {
    const email = newEmail();
    const challenges = await Promise.all(Array.from({ length: 20 }, async () => (await begin(email)).challenge));
    expect(new Set(challenges).size).toBe(20);
  });

  it.each([
    [{ email: 'ada' }, 'email: must be an email address'],
    [{ email: '' }, 'email: must be an email address'],
    [{ email: 7 }, 'email: must be a string'],
    ['{"email":"ada\\u0000@example.com"}', 'email: must be an email address'],
    ['{', 'body: must be valid JSON'],
    [[], 'body: must be a JSON object'],
  ])('400 for the body %j', async (body, message) => {
    const answer = await createBrowser(tests.app).post('/auth/passkey/login/begin', body);
    expect(answer.status).toBe(400);
    expect(answer.json.error).toMatchObject({ code: 'invalid_input', message });
  });
});

describe('an email without passkeys', () => {
  it('unknown, disabled and deleted accounts, and those with and without passkeys, get the same shape by one statement, and nothing is written', async () => {
    const [known, disabled, deleted] = [
      await tests.withPasskey(),
      await tests.withPasskey(),
      await tests.withPasskey(),
    ];
    const without = await registerUser(tests.app);
    await setUser(tests.app, disabled.user_id, { status: 'disabled' });
    await setUser(tests.app, deleted.user_id, { status: 'deleted' });
    await tests.app.mailbox.settle();
    const tables = ['passkeys', 'passkey_challenges', 'audit_events', 'rate_counters', 'mails', 'bus_events'] as const;
    const seen = [];
    for (const email of [known.email, newEmail('unknown'), without.email, disabled.email, deleted.email]) {
      const { result, rows } = await countingRows(tests.app, tables, () => tests.recorded(() => begin(email)));
      const { allowCredentials, challenge, ...options } = result.result;
      for (const { id, ...rest } of allowCredentials) {
        expect(id).toMatch(/^[\w-]{22,64}$/);
        expect(rest).toEqual({ type: 'public-key', transports: expect.any(Array) });
        expect(rest.transports.length).toBeGreaterThan(0);
      }
      expect(allowCredentials.length).toBeGreaterThan(0);
      seen.push({ options, keys: Object.keys(result.result), length: challenge.length, rows, ...result, result: 0 });
    }
    for (const one of seen) expect(one).toEqual(seen[0]);
    expect(seen[0]!.statements).toHaveLength(1);
    expect(Object.values(seen[0]!.rows)).toEqual([0, 0, 0, 0, 0, 0]);
  });

  it('gets the same decoys on each call, in any notation, and after a restart', async () => {
    const email = newEmail('unknown');
    const first = await shown(email);
    expect(await shown(email)).toEqual(first);
    expect(await shown(` ${email.toUpperCase()}`)).toEqual(first);
    expect(await shown(newEmail('unknown'))).not.toEqual(first);
    const again = await startPasskeys();
    expect((await again.begin(email)) as Options).toMatchObject({ allowCredentials: first });
    await again.app.close();
  });

  it('an email keeps its decoys when an account is created for it, or deleted', async () => {
    const email = newEmail('soon');
    const first = await shown(email);
    const user = await registerUser(tests.app, { email });
    expect(await shown(email)).toEqual(first);
    const device = createAuthenticator();
    await addPasskey(user.browser, device);
    expect((await shown(email)).map(({ id }) => id)).toEqual([device.id]);
    await setUser(tests.app, user.user_id, { status: 'disabled' });
    expect((await shown(email)).map(({ id }) => id)).toEqual([device.id]);
    await setUser(tests.app, user.user_id, { status: 'deleted' });
    expect(await shown(email)).toEqual(first);
  });

  it('removed passkeys are not shown', async () => {
    const user = await tests.withPasskey();
    await user.browser.delete(`/users/me/passkeys/${user.passkey_id}`);
    expect((await shown(user.email)).map(({ id }) => id)).not.toContain(user.device.id);
  });
});

describe('decoys', () => {
  const keyring = createKeyring('a secret of tests that is long enough');
  const many = Array.from({ length: 400 }, (_, index) => decoysFor(keyring, `person-${index}@example.com`));

  it('look like real passkeys: one to five, of several kinds', () => {
    const shares = [1, 2, 3, 4, 5].map((count) => many.filter(({ length }) => length === count).length);
    expect(shares.reduce((sum, share) => sum + share)).toBe(many.length);
    expect(Math.min(...shares)).toBeGreaterThan(5);
    expect(shares[0]).toBeGreaterThan(120);
    const kinds = new Set(many.flat().map(({ credential_id, transports }) => `${credential_id.length} ${transports}`));
    expect([...kinds].sort()).toEqual(['16 hybrid,internal', '20 hybrid,internal', '32 internal', '48 nfc,usb']);
    expect(new Set(many.flat().map(({ credential_id }) => credential_id.toString('hex'))).size).toBe(
      many.flat().length,
    );
  });

  it('cannot be derived without the secret', () => {
    const other = createKeyring('another secret that is long enough');
    expect(decoysFor(other, 'person-1@example.com')).not.toEqual(many[1]);
    expect(decoysFor(keyring, 'person-1@example.com')).toEqual(many[1]);
  });
});
