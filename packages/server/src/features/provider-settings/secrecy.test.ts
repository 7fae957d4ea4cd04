import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { PROVIDER_INFO, PROVIDERS, type Provider } from '@gatehouse/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/harness.ts';
import { startFakeDomains } from './domains-fixture.ts';
import { createAdministrator, everythingIn, GOOD, startWithKey } from './integrations-fixture.ts';

let app: TestApp;
let domains: Awaited<ReturnType<typeof startFakeDomains>>;
beforeAll(async () => {
  domains = await startFakeDomains();
  app = await startWithKey({ environment: { EMAIL_API_BASE_URL: domains.url } });
});
afterAll(async () => {
  await app.close();
  await domains.close();
});

const random = () => randomBytes(18).toString('hex');
const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;

/** Unique values, so that every occurrence in an output is a leak. */
const SECRETS = Object.fromEntries(
  PROVIDERS.map((provider) => [provider, PROVIDER_INFO[provider].secret === 'pem' ? pem : `re_${random()}`]),
) as Record<Provider, string>;

/** Each secret in plain text and in common encodings. */
const forms = Object.values(SECRETS).flatMap((secret) => {
  const core = secret === pem ? secret.split('\n')[1]! : secret;
  const bytes = Buffer.from(core);
  return [core, bytes.toString('hex'), bytes.toString('base64').slice(0, 40), bytes.toString('base64url').slice(0, 40)];
});
const expectNone = (text: string) => {
  for (const form of forms) expect(text.includes(form)).toBe(false);
};

describe('§4.9 a secret is in no response, audit row, log line, metric, nor in plain text in the database', () => {
  it('no secret leaks after any operation, successful or rejected', async () => {
    const admin = await createAdministrator(app);
    const answers: string[] = [];
    const note = async (asked: Promise<{ text: string; headers: object }>) => {
      const { text, headers } = await asked;
      answers.push(text, JSON.stringify(headers));
    };
    for (const provider of PROVIDERS) {
      const change = { ...GOOD[provider], secret: SECRETS[provider] };
      await note(admin.put(provider, change));
      for (const mode of [200, 401, 500, 302] as const) {
        domains.mode = mode;
        await note(admin.test(provider));
      }
      // Includes rejected requests, and secrets in the wrong field.
      await note(admin.put(provider, { ...change, clear_secret: true }));
      await note(admin.put(provider, { ...change, secret: `${change.secret}\0` }));
      await note(
        admin.put(provider, {
          ...change,
          public_config: { ...change.public_config, client_id: `${change.secret} `.repeat(9) },
        }),
      );
      await note(admin.put(provider, { ...change, secret: [change.secret] }));
      await note(admin.put(provider, { enabled: change.secret }));
      await note(admin.put(encodeURIComponent(change.secret).slice(0, 90), change));
      expect(app.deps.providers.find(provider).settings?.secret).toBe(SECRETS[provider]);
    }
    await note(admin.list());
    expect(domains.requests.map(({ authorization }) => authorization)).toContain(`Bearer ${SECRETS.email_transport}`);
    expect(answers.length).toBeGreaterThan(100);
    expectNone(answers.join('\n'));
    expect(app.logs.length).toBeGreaterThan(50);
    expectNone(JSON.stringify(app.logs));
    expectNone((await app.server.inject('/metrics')).body);
    const stored = await everythingIn(app);
    expect(stored).toContain('integration.updated');
    expect(stored).toContain('v1:');
    expectNone(stored);
  });

  it('no secret leaks after a database failure', async () => {
    const other = await startTestApp({ environment: { CONFIG_ENCRYPTION_KEY: random().padEnd(64, '0') } });
    try {
      const admin = await createAdministrator(other);
      await other.deps.db.schema.alterTable('provider_configs').renameTo('gone').execute();
      const answer = await admin.put('oauth_a', { ...GOOD.oauth_a, secret: SECRETS.oauth_a });
      expect(answer.status).toBe(500);
      expectNone(answer.text + JSON.stringify(other.logs));
    } finally {
      await other.close();
    }
  });
});
