import { randomBytes } from 'node:crypto';
import { LIMITS, NIL_UUID } from '@gatehouse/contract';
import { v7 as uuid } from 'uuid';
import { describe, expect, it } from 'vitest';
import { after } from '../../platform/clock.ts';
import { createKeyring } from '../../platform/crypto/keyring.ts';
import { CHALLENGE_BYTES, openChallenge, sealChallenge } from './challenge.ts';

const NOW = new Date('2030-01-15T12:00:00.000Z');
const keyring = createKeyring('a secret of tests that is long enough');
const ceremony = { kind: 'register', subject: uuid() } as const;

describe('a challenge', () => {
  it('contains its purpose and its expiry', () => {
    for (const kind of ['login', 'register'] as const) {
      const sealed = sealChallenge(keyring, { ...ceremony, kind }, NOW);
      expect(openChallenge(keyring, sealed, NOW)).toMatchObject({
        kind,
        subject: ceremony.subject,
        expires_at: after(NOW, LIMITS.passkey.challenge),
      });
    }
  });

  it('has the same form for every subject, and is never repeated', () => {
    const all = [ceremony, { kind: 'login', subject: NIL_UUID }, { kind: 'login', subject: NIL_UUID }] as const;
    const sealed = all.map((one) => sealChallenge(keyring, one, NOW));
    expect(sealed.map(({ length }) => length)).toEqual([CHALLENGE_BYTES, CHALLENGE_BYTES, CHALLENGE_BYTES]);
    expect(new Set(sealed.map((one) => one.toString('hex'))).size).toBe(3);
    expect(new Set(sealed.map((one) => openChallenge(keyring, one, NOW)!.id.toString('hex'))).size).toBe(3);
  });

  it('can be opened until a second before its expiry', () => {
    const sealed = sealChallenge(keyring, ceremony, NOW);
    expect(openChallenge(keyring, sealed, after(NOW, LIMITS.passkey.challenge - 1))).toBeDefined();
    expect(openChallenge(keyring, sealed, after(NOW, LIMITS.passkey.challenge))).toBeUndefined();
  });

  it('cannot be opened with one bit changed, truncated or extended', () => {
    const sealed = sealChallenge(keyring, ceremony, NOW);
    for (let bit = 0; bit < CHALLENGE_BYTES * 8; bit++) {
      const changed = Buffer.from(sealed);
      changed[bit >> 3]! ^= 1 << (bit & 7);
      expect(openChallenge(keyring, changed, NOW)).toBeUndefined();
    }
    expect(openChallenge(keyring, sealed.subarray(1), NOW)).toBeUndefined();
    expect(openChallenge(keyring, Buffer.concat([sealed, Buffer.alloc(1)]), NOW)).toBeUndefined();
    expect(openChallenge(keyring, Buffer.alloc(0), NOW)).toBeUndefined();
    expect(openChallenge(keyring, randomBytes(CHALLENGE_BYTES), NOW)).toBeUndefined();
  });

  it('can be opened under the current or the previous secret only', () => {
    const sealed = sealChallenge(keyring, ceremony, NOW);
    const changed = createKeyring('another secret that is long enough', 'a secret of tests that is long enough');
    expect(openChallenge(changed, sealed, NOW)).toMatchObject(ceremony);
    const lost = createKeyring('another secret that is long enough', 'yet another secret, and long enough');
    expect(openChallenge(lost, sealed, NOW)).toBeUndefined();
  });
});
