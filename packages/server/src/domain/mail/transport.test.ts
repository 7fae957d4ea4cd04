import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTestClock } from '../../../test/clock.ts';
import { type FakeMailServer, startFakeMailServer } from '../../../test/fake-mail-server.ts';
import { RELEASED_WITHIN_MS } from '../../../test/timeouts.ts';
import type { Environment } from '../../platform/config/load.ts';
import type { ProviderRow } from '../provider-settings/queries.ts';
import { resolveProvider } from '../provider-settings/resolve.ts';
import { configOf, LOST_KEY, NEW_KEY, rowOf } from '../provider-settings/rows-fixture.ts';
import { configKeyring } from '../provider-settings/secret.ts';
import { chooseTransport, senderOf } from './transport.ts';

function outletsWith(environment: Environment, first?: ProviderRow) {
  let row = first;
  const config = configOf(environment);
  const keyring = configKeyring(config);
  const find = () => resolveProvider('email_transport', row, { config, keyring });
  return {
    ...chooseTransport(config, createTestClock(), { find }),
    store(next: ProviderRow | undefined) {
      row = next;
    },
  };
}

const API = { EMAIL_API_KEY: 're_123', EMAIL_FROM: 'Example <id@example.com>' };
const SMTP = { SMTP_URL: 'smtp://mail.example.com' };
const PRODUCTION = { NODE_ENV: 'production' };
const KEY = { CONFIG_ENCRYPTION_KEY: NEW_KEY };
const NAMELESS = 'Gatehouse <gatehouse@id.example.com>';

describe('the mail transport', () => {
  it.each([
    ['api', { ...API, ...SMTP, ...PRODUCTION }],
    ['api', API],
    ['smtp', { ...SMTP, EMAIL_API_KEY: 're_123', ...PRODUCTION }],
    ['smtp', { ...SMTP, ...PRODUCTION }],
    ['smtp', SMTP],
    ['folder', { EMAIL_API_KEY: 're_123' }],
    ['folder', {}],
    ['folder', { NODE_ENV: 'test' }],
    [undefined, PRODUCTION],
    [undefined, { EMAIL_FROM: API.EMAIL_FROM, ...PRODUCTION }],
  ])('the transport is %s with the settings %o', (name, environment) => {
    expect(outletsWith(environment).current()?.transport.name).toBe(name);
  });

  it.each([
    ['api', 'stored@example.com', rowOf('email_transport'), { ...API, ...SMTP, ...PRODUCTION }],
    ['api', 'stored@example.com', rowOf('email_transport'), PRODUCTION],
    ['api', 'stored@example.com', rowOf('email_transport'), { EMAIL_FROM: API.EMAIL_FROM }],
    ['api', API.EMAIL_FROM, rowOf('email_transport', { enabled: false }), { ...API, ...PRODUCTION }],
    ['api', API.EMAIL_FROM, rowOf('email_transport', { key: LOST_KEY }), { ...API, ...SMTP, ...PRODUCTION }],
    ['smtp', NAMELESS, rowOf('email_transport', { enabled: false }), { ...SMTP, ...PRODUCTION }],
    ['smtp', NAMELESS, rowOf('email_transport', { key: LOST_KEY }), { ...SMTP, ...PRODUCTION }],
    [undefined, undefined, rowOf('email_transport', { enabled: false }), PRODUCTION],
    [undefined, undefined, rowOf('email_transport', { key: LOST_KEY }), PRODUCTION],
  ])('the transport with a stored row is %s, with the sender %s', (name, from, row, environment) => {
    const outlet = outletsWith({ ...KEY, ...environment }, row).current();
    expect([outlet?.transport.name, outlet?.from]).toEqual([name, from]);
  });

  it('mail is sent as EMAIL_FROM, or from the host name of the service', () => {
    expect(senderOf(configOf(API))).toBe('Example <id@example.com>');
    expect(senderOf(configOf({}))).toBe('Gatehouse <gatehouse@localhost>');
    expect(senderOf(configOf({ BRAND_NAME: 'Example Id' }))).toBe('Example Id <gatehouse@localhost>');
    expect(senderOf(configOf({ BRAND_NAME: 'Ex, "a" <b>' }))).toBe('"Ex, \\"a\\" <b>" <gatehouse@localhost>');
    expect(senderOf(configOf({ ...SMTP, ...PRODUCTION }))).toBe(NAMELESS);
  });

  it('a changed row is used for the next mail', () => {
    const outlets = outletsWith({ ...KEY, ...PRODUCTION });
    expect(outlets.current()).toBeUndefined();
    outlets.store(rowOf('email_transport', { public_config: { from: 'first@example.com' } }));
    expect(outlets.current()?.from).toBe('first@example.com');
    outlets.store(rowOf('email_transport', { public_config: { from: 'second@example.com' } }));
    expect(outlets.current()?.from).toBe('second@example.com');
    outlets.store(undefined);
    expect(outlets.current()).toBeUndefined();
  });
});

describe('an SMTP server while a row is stored', () => {
  let server: FakeMailServer;
  beforeEach(async () => {
    server = await startFakeMailServer();
  });
  afterEach(() => server.close());

  const message = { id: '1', to: 'ada@example.com', subject: 'Hello', text: 'Hello', html: '<p>Hello</p>' };

  it('on close the SMTP server is disconnected, even if a stored row has replaced it as the transport', async () => {
    const outlets = outletsWith({ ...KEY, SMTP_URL: server.url });
    const { transport, from } = outlets.current()!;
    await transport.send({ ...message, from }, { idempotencyKey: '1' });
    expect(server.connections()).toBe(1);
    outlets.store(rowOf('email_transport'));
    expect(outlets.current()?.transport.name).toBe('api');
    expect(server.connections()).toBe(1);
    await outlets.close();
    await expect.poll(() => server.connections(), { timeout: RELEASED_WITHIN_MS }).toBe(0);
  });

  it('the SMTP transport and its connections are kept while a row is stored and removed again', async () => {
    const outlets = outletsWith({ ...KEY, SMTP_URL: server.url });
    const before = outlets.current()?.transport;
    outlets.store(rowOf('email_transport'));
    outlets.store(undefined);
    expect(outlets.current()?.transport).toBe(before);
    await outlets.close();
  });
});
