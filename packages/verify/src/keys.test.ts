import { importSPKI } from 'jose';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { webCheck } from './keys.ts';
import {
  createService,
  hanging,
  ISSUER,
  KEY,
  OTHER_KEY,
  pass,
  refused,
  type Service,
  settle,
  signToken,
  stopTime,
} from './service-fixture.ts';
import { createVerifier, type Verifier } from './verifier.ts';

let service: Service;
let verifier: Verifier;
beforeEach(() => {
  stopTime();
  service = createService();
  verifier = createVerifier({ issuer: ISSUER, fetch: service.fetch });
});
afterEach(() => {
  verifier.close();
  vi.useRealTimers();
});

const byOther = () => signToken({}, { key: OTHER_KEY });
const verdict = (token: string): Promise<string> =>
  verifier.verify(token).then(
    () => 'accepted',
    (error) => error.code,
  );
const alterKeys = (answer: (() => Response | Promise<Response>) | undefined): void => {
  service.alter = (path) => (path === 'keys' ? answer?.() : undefined);
};

it('Web Crypto, which other runtimes use, accepts a signature of its key only', async () => {
  const hasSigned = webCheck(
    await importSPKI(KEY.publicKey.export({ type: 'spki', format: 'pem' }) as string, 'RS256'),
  );
  const token = signToken();
  const forged = `${token.slice(0, -40)}${token.at(-40) === 'A' ? 'B' : 'A'}${token.slice(-39)}`;
  expect(await Promise.all([token, byOther(), forged].map(hasSigned))).toEqual([true, false, false]);
});

describe('the key set', () => {
  it('is fetched every minute with If-None-Match', async () => {
    await verifier.ready();
    await pass(120_000);
    const fetches = service.asked.filter(({ path }) => path === 'keys');
    expect(fetches.map(({ status }) => status)).toEqual([200, 304, 304]);
  });

  it('is fetched immediately when a token names a new key; the old key stays valid', async () => {
    const old = signToken();
    await verifier.verify(old);
    service.keys = [KEY.jwk, OTHER_KEY.jwk];
    await pass(5_000);
    expect(await verdict(byOther())).toBe('accepted');
    expect(await verdict(old)).toBe('accepted');
    expect(service.count('keys')).toBe(2);
  });

  it('invalidates all tokens of a key that it no longer contains, even cached ones', async () => {
    const old = signToken();
    await verifier.verify(old);
    service.keys = [OTHER_KEY.jwk];
    await pass(60_000);
    expect(await verdict(byOther())).toBe('accepted');
    expect(await verdict(old)).toBe('token_invalid');
    expect(await verdict(signToken())).toBe('token_invalid');
    service.keys = [KEY.jwk];
    await pass(60_000);
    expect(await verdict(signToken())).toBe('accepted');
    expect(await verdict(old)).toBe('accepted');
  });

  it('invalidates the tokens of a key that is replaced under the same key id', async () => {
    const old = signToken();
    await verifier.verify(old);
    service.keys = [{ ...OTHER_KEY.jwk, kid: KEY.kid }];
    await pass(60_000);
    // Fake timers do not wait for the asynchronous import of the new key.
    while ((await verdict(old)) === 'accepted') await settle();
    expect(await verdict(old)).toBe('token_invalid');
    expect(await verdict(signToken({}, { key: { ...OTHER_KEY, kid: KEY.kid } }))).toBe('accepted');
  });

  it('the key set is fetched at most once in five seconds for unknown key ids', async () => {
    await verifier.ready();
    for (let passed = 0; passed < 20_000; passed += 1_000) {
      const tokens = [1, 2, 3].map((number) => signToken({}, { header: { kid: `${passed}-${number}` } }));
      expect(await Promise.all(tokens.map(verdict))).toEqual(Array(3).fill('token_invalid'));
      await pass(1_000);
    }
    expect(service.count('keys')).toBe(4);
  });
});

describe('while the service cannot be reached', () => {
  it('known keys stay valid while the service cannot be reached', async () => {
    await verifier.ready();
    alterKeys(refused);
    await pass(300_000);
    expect(await verdict(signToken())).toBe('accepted');
  });

  it('a token with an unknown key is rejected as service_unreachable, not token_invalid', async () => {
    await verifier.ready();
    alterKeys(refused);
    await pass(5_000);
    expect(await verdict(byOther())).toBe('service_unreachable');
    alterKeys(undefined);
    service.keys = [KEY.jwk, OTHER_KEY.jwk];
    expect(await verdict(byOther())).toBe('service_unreachable');
    await pass(1_000);
    expect(await verdict(byOther())).toBe('accepted');
  });

  it.each<[string, () => Response | Promise<Response>]>([
    ['an error response', () => new Response('', { status: 502 })],
    ['another document', () => Response.json({ revocations: [] })],
    ['a set that is too large', () => Response.json({ keys: [KEY.jwk], padding: 'x'.repeat(300_000) })],
    ['a refused connection', refused],
  ])('%s: rejects tokens, ready rejects with the cause, and the verifier retries after a second', async (_, answer) => {
    alterKeys(answer);
    await expect(verifier.ready()).rejects.toMatchObject({ code: 'service_unreachable', cause: expect.any(Error) });
    for (let times = 0; times < 10; times++) expect(await verdict(signToken())).toBe('service_unreachable');
    expect(service.count('keys')).toBe(1);
    alterKeys(undefined);
    await pass(1_000);
    expect(await verdict(signToken())).toBe('accepted');
  });

  it('a request for the key set without a response times out', async () => {
    alterKeys(hanging);
    const answer = verdict(signToken());
    await pass(5_000);
    expect(await answer).toBe('service_unreachable');
  });
});
