import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { verifyWebhook, type WebhookHeaders, WebhookVerificationError } from './webhooks.ts';

/** The published test vector of Standard Webhooks (its libraries test `sign` with it). */
const VECTOR = {
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  timestamp: 1_614_265_330,
  body: '{"test": 2432232314}',
  signature: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
};
const EVENT = { test: 2_432_232_314 };
const OTHER_SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
/** The signature of another message, which the libraries of Standard Webhooks use in their tests. */
const WRONG = 'v1,Ceo5qEr07ixe2NLpvHk3FH9bwy/WavXrAFQ/9tdO6mc=';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: VECTOR.timestamp * 1000 });
});
afterEach(() => {
  vi.useRealTimers();
});

const headersWith = (changes: Record<string, string | string[] | undefined> = {}) => ({
  'webhook-id': VECTOR.id,
  'webhook-timestamp': String(VECTOR.timestamp),
  'webhook-signature': VECTOR.signature,
  ...changes,
});

const sign = (secret: string, body: string | Buffer) =>
  `v1,${createHmac('sha256', Buffer.from(secret.replace('whsec_', ''), 'base64'))
    .update(`${VECTOR.id}.${VECTOR.timestamp}.`)
    .update(body)
    .digest('base64')}`;

/** Returns why the request is rejected. */
function reasonFor(headers: WebhookHeaders, body: string | Uint8Array = VECTOR.body, secrets = VECTOR.secret): string {
  try {
    verifyWebhook(headers, body, secrets);
  } catch (error) {
    if (error instanceof WebhookVerificationError) return `${error.status} ${error.reason}`;
    throw error;
  }
  return 'accepted';
}

describe('verifyWebhook', () => {
  const capitals = {
    'Webhook-Id': VECTOR.id,
    'WEBHOOK-TIMESTAMP': String(VECTOR.timestamp),
    'Webhook-Signature': VECTOR.signature,
  };
  const bytes = new TextEncoder().encode(VECTOR.body);
  it.each<[string, WebhookHeaders, Parameters<typeof verifyWebhook>[1], string | string[]]>([
    ['the published test vector', headersWith(), VECTOR.body, VECTOR.secret],
    ['a secret without whsec_', headersWith(), VECTOR.body, VECTOR.secret.slice(6)],
    ['header names in capitals', capitals, VECTOR.body, VECTOR.secret],
    ['a Headers object', new Headers(headersWith() as Record<string, string>), VECTOR.body, VECTOR.secret],
    ['other headers beside', headersWith({ 'set-cookie': ['a', 'b'], x: undefined }), VECTOR.body, VECTOR.secret],
    ['the body as Uint8Array', headersWith(), bytes, VECTOR.secret],
    ['the body as Buffer', headersWith(), Buffer.from(VECTOR.body), VECTOR.secret],
    ['the body as ArrayBuffer', headersWith(), bytes.slice().buffer, VECTOR.secret],
    ['the second of two secrets', headersWith(), VECTOR.body, [OTHER_SECRET, VECTOR.secret]],
    [
      'the third of four signatures',
      headersWith({ 'webhook-signature': [WRONG, WRONG.replace('v1', 'v2'), VECTOR.signature, WRONG].join(' ') }),
      VECTOR.body,
      VECTOR.secret,
    ],
    ['signatures as array', headersWith({ 'webhook-signature': [WRONG, VECTOR.signature] }), bytes, VECTOR.secret],
    ['values as arrays', headersWith({ 'webhook-id': [VECTOR.id] }), bytes, VECTOR.secret],
  ])('accepts %s', (_, headers, body, secrets) => {
    expect(verifyWebhook(headers, body, secrets)).toEqual(EVENT);
  });

  it.each<[string, WebhookHeaders]>([
    ['headers_missing', {}],
    ['headers_missing', new Headers()],
    ['headers_missing', headersWith({ 'webhook-id': undefined })],
    ['headers_missing', headersWith({ 'webhook-timestamp': '' })],
    ['headers_missing', headersWith({ 'webhook-signature': undefined })],
    ['headers_missing', headersWith({ 'Webhook-Id': 'another' })],
    ['headers_missing', headersWith({ 'webhook-timestamp': ['1', '2'] })],
    ['timestamp_invalid', headersWith({ 'webhook-timestamp': 'hello' })],
    ['timestamp_invalid', headersWith({ 'webhook-timestamp': `${VECTOR.timestamp}.5` })],
    ['timestamp_invalid', headersWith({ 'webhook-timestamp': '1e9' })],
    ['signature_mismatch', headersWith({ 'webhook-timestamp': String(VECTOR.timestamp + 1) })],
    ['signature_mismatch', headersWith({ 'webhook-id': 'msg_another' })],
    ['signature_mismatch', headersWith({ 'webhook-signature': 'v1,dawfeoifkpqwoekfpqoekf' })],
    ['signature_mismatch', headersWith({ 'webhook-signature': 'v1,' })],
    ['signature_mismatch', headersWith({ 'webhook-signature': VECTOR.signature.slice(0, 8) })],
    ['signature_mismatch', headersWith({ 'webhook-signature': VECTOR.signature.replace('v1', 'v2') })],
    ['signature_mismatch', headersWith({ 'webhook-signature': VECTOR.signature.replace('v1,', '') })],
    ['signature_mismatch', headersWith({ 'webhook-signature': WRONG })],
  ])('rejects a request with %s: %j', (reason, headers) => {
    expect(reasonFor(headers)).toBe(`401 ${reason}`);
  });

  it.each([
    [-301, '401 timestamp_too_new'],
    [-300, 'accepted'],
    [300, 'accepted'],
    [301, '401 timestamp_too_old'],
  ])('a request whose timestamp is %d seconds ago: %s', (seconds, outcome) => {
    vi.setSystemTime((VECTOR.timestamp + seconds) * 1000);
    expect(reasonFor(headersWith())).toBe(outcome);
  });

  it('rejects a changed body, and a request signed with another secret', () => {
    expect(reasonFor(headersWith(), `${VECTOR.body} `)).toBe('401 signature_mismatch');
    expect(reasonFor(headersWith(), VECTOR.body, OTHER_SECRET)).toBe('401 signature_mismatch');
  });

  it('verifies bytes that are not UTF-8 before it rejects them, and quotes no body', () => {
    const body = Buffer.from([0x22, 0xff, 0x22]);
    expect(reasonFor(headersWith({ 'webhook-signature': sign(VECTOR.secret, body) }), body)).toBe('401 body_invalid');
    const text = 'secret text';
    const headers = headersWith({ 'webhook-signature': sign(VECTOR.secret, text) });
    expect(reasonFor(headers, text)).toBe('401 body_invalid');
    expect(() => verifyWebhook(headers, text, VECTOR.secret)).toThrow(/^the body is not JSON$/);
  });

  it.each([undefined, null])('rejects a request whose body is %s, as body parsers report an empty one', (body) => {
    expect(() => verifyWebhook(headersWith(), body as never, VECTOR.secret)).toThrow(WebhookVerificationError);
  });

  it.each([[undefined], [''], ['whsec_'], ['whsec_not base64'], [[]], [[VECTOR.secret, '']], [null]])(
    'throws a TypeError for unusable secrets, whatever the request says: %j',
    (secrets) => {
      expect(() => verifyWebhook(headersWith(), VECTOR.body, secrets as string)).toThrow(TypeError);
    },
  );

  it('throws a TypeError for a parsed body, and says what is needed', () => {
    expect(() => verifyWebhook(headersWith(), EVENT as never, VECTOR.secret)).toThrow('as it was received');
  });
});
