import type { Readiness } from '@gatehouse/contract';
import { beforeEach, describe, expect, it } from 'vitest';
import { configKeyring, openProviderSecret } from '../../src/domain/provider-settings/secret.ts';
import { type Answer, type Browser, bearer, createBrowser, registerUser, tally } from '../browser.ts';
import { auditOf, setUser } from '../records.ts';
import { useReplicas } from '../replicas.ts';
import { type Enrolled, enrol } from '../second-factor.ts';
import { INVALIDATED_WITHIN_MS } from '../timeouts.ts';

const KEY = '00112233445566778899aabbccddeeff102132435465768798a9bacbdcedfe0f';
const keyring = configKeyring({
  CONFIG_ENCRYPTION_KEY: Buffer.from(KEY, 'hex'),
  CONFIG_ENCRYPTION_KEY_PREVIOUS: undefined,
});

const replicas = useReplicas(2, { CONFIG_ENCRYPTION_KEY: KEY, TRUST_PROXY: '127.0.0.1' });
let admin: Enrolled;
let tests = 0;
// A campaign repeats tests that count the audit rows of their actor, so each run has a new administrator.
beforeEach(async () => {
  tests++;
  await replicas.database.db.deleteFrom('provider_configs').execute();
  const user = await registerUser(here());
  // The role is set before any server has cached the user.
  await setUser(replicas.database, user.user_id, { platform_role: 'admin' });
  admin = await enrol(here(), user);
});

const here = () => replicas.urls[0]!;
const there = () => replicas.urls[1]!;
/** With a new client address for each test: the servers cache for a minute that an address has reached its limit. */
const asAdmin = () => {
  const { headers } = bearer(admin.verified_token);
  return { headers: { ...headers, 'x-forwarded-for': `10.0.${tests >> 8}.${tests & 255}` } };
};
const put = (url: string, body: object, provider = 'oauth_a'): Promise<Answer> =>
  createBrowser(url).send('PUT', `/admin/integrations/${provider}`, { ...asAdmin(), body });
const rows = () => replicas.database.db.selectFrom('provider_configs').selectAll().execute();
const onlyRow = async () => {
  const all = await rows();
  expect(all).toHaveLength(1);
  const [row] = all;
  return { ...row!, opened: openProviderSecret(keyring, row!) };
};

describe('§4.9 provider configuration on two servers', () => {
  it('20 concurrent changes of one provider leave one row, with the settings and the secret of one request', async () => {
    const answers = await replicas.many(20, (url, index) =>
      put(url, { enabled: true, public_config: { client_id: `client-${index}` }, secret: `secret-of-${index}` }),
    );
    expect(tally(answers)).toEqual({ 200: 20 });
    const { public_config, opened } = await onlyRow();
    expect(opened).toEqual({ secret: `secret-of-${public_config.client_id!.split('-')[1]}` });
    const events = await auditOf(replicas.database, { actor_id: admin.user_id, action: 'integration.updated' });
    expect(events).toHaveLength(20);
  });

  it('concurrent changes without a secret never remove the secret of another change', async () => {
    const answers = await replicas.many(20, (url, index) =>
      put(url, {
        enabled: true,
        public_config: { client_id: `client-${index}` },
        ...(index === 7 && { secret: 'the-secret' }),
      }),
    );
    expect(tally(answers)).toEqual({ 200: 20 });
    expect((await onlyRow()).opened).toEqual({ secret: 'the-secret' });
  });

  it('a change at one server applies at the other within seconds', async () => {
    // `/readyz` returns the applied configuration from memory.
    const degradedAt = async (url: string) => {
      const { provider_config } = (await (await fetch(`${url}/readyz`)).json()) as Readiness;
      return provider_config.providers;
    };
    expect(await degradedAt(there())).toEqual([]);
    await put(here(), { enabled: true, public_config: { client_id: 'one' } });
    expect(await degradedAt(here())).toEqual(['oauth_a']);
    await expect.poll(() => degradedAt(there()), { timeout: INVALIDATED_WITHIN_MS }).toEqual(['oauth_a']);
    await put(there(), { enabled: true, public_config: { client_id: 'one' }, secret: 'long-enough' });
    expect(await degradedAt(there())).toEqual([]);
    await expect.poll(() => degradedAt(here()), { timeout: INVALIDATED_WITHIN_MS }).toEqual([]);
  });

  it('the limit is 100 requests a minute over both servers and all three endpoints', async () => {
    const ask = asAdmin();
    const kinds = [
      (browser: Browser) => browser.get('/admin/integrations', ask),
      (browser: Browser) => browser.send('PUT', '/admin/integrations/oauth_a', { ...ask, body: { enabled: false } }),
      (browser: Browser) => browser.post('/admin/integrations/oauth_b/test', undefined, ask),
    ];
    const answers = await replicas.many(110, (url, index) => kinds[index % 3]!(createBrowser(url)));
    expect(tally(answers)).toEqual({ 200: 100, 429: 10 });
  });
});
