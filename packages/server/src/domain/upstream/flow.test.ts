import { describe, expect, it } from 'vitest';
import { createKeyring } from '../../platform/crypto/keyring.ts';
import { openFlow, sealFlow } from './flow.ts';

const NOW = new Date('2030-01-15T12:00:00.000Z');
const later = (seconds: number) => new Date(NOW.getTime() + seconds * 1000);
const keyOf = (text: string) => Buffer.alloc(32, text);

describe('the state of a flow', () => {
  const keyring = createKeyring(keyOf('one'));
  const linking = { user_id: '0190-user', session_id: '0190-session', isUnproven: true };
  const flow = { provider: 'oauth_c', redirect_to: '/a?b#c', linking };
  const sealed = sealFlow(keyring, 'oauth-flow', flow, 'browser', NOW);
  const open = (keys: typeof keyring, state: unknown, browser: string | undefined, now: Date) =>
    openFlow<typeof flow>(keys, 'oauth-flow', state, browser, now);

  it('a state decrypts to the sealed flow, with the nonce and the verifier that were made when it was sealed', () => {
    const { nonce, code_verifier } = sealed;
    const opened = open(keyring, sealed.state, 'browser', NOW);
    expect(opened).toMatchObject({ ...flow, nonce, code_verifier, expires_at: later(600) });
    expect(new Set([nonce, code_verifier, sealed.state]).size).toBe(3);
    expect(code_verifier).toMatch(/^[\w-]{43}$/);
    expect(opened).not.toHaveProperty('ends');
  });

  it('a state does not decrypt with any bit changed, truncated or extended', () => {
    const bytes = Buffer.from(sealed.state, 'base64url');
    for (let index = 0; index < bytes.length; index++) {
      const other = Buffer.from(bytes);
      other[index]! ^= 1;
      expect(open(keyring, other.toString('base64url'), 'browser', NOW), `byte ${index}`).toBeUndefined();
    }
    for (const length of [0, 1, 12, 27, 28, 29, bytes.length - 1]) {
      const cut = bytes.subarray(0, length).toString('base64url');
      expect(open(keyring, cut, 'browser', NOW), `${length} bytes`).toBeUndefined();
    }
    const longer = Buffer.concat([bytes, Buffer.from([0])]).toString('base64url');
    expect(open(keyring, longer, 'browser', NOW)).toBeUndefined();
  });

  it.each(['', ' ', '.', 'A', 'A'.repeat(4097), '%00', 'é', '=', '{}', 'A'.repeat(37)])(
    '%j is not a state',
    (state) => {
      expect(open(keyring, state, 'browser', NOW)).toBeUndefined();
    },
  );

  it('a valid state is rejected with padding or other characters before or after it', () => {
    for (const state of [`${sealed.state}=`, ` ${sealed.state}`, `${sealed.state}\n`, `${sealed.state}.`])
      expect(open(keyring, state, 'browser', NOW), state).toBeUndefined();
  });

  it('a state does not decrypt for another browser', () => {
    for (const browser of ['Browser', 'browser ', '', 'another', undefined])
      expect(open(keyring, sealed.state, browser, NOW)).toBeUndefined();
  });

  it('a state does not decrypt for another purpose', () => {
    expect(openFlow(keyring, 'sso-flow', sealed.state, 'browser', NOW)).toBeUndefined();
  });

  it('a state is valid for ten minutes', () => {
    expect(open(keyring, sealed.state, 'browser', later(599))).toBeDefined();
    expect(open(keyring, sealed.state, 'browser', later(600))).toBeUndefined();
  });

  it('a state decrypts under the previous key, with the same nonce and verifier, and under no other', () => {
    const { nonce, code_verifier } = sealed;
    const changedKey = createKeyring(keyOf('two'), keyOf('one'));
    expect(open(changedKey, sealed.state, 'browser', NOW)).toMatchObject({ nonce, code_verifier });
    expect(open(createKeyring(keyOf('two')), sealed.state, 'browser', NOW)).toBeUndefined();
  });
});
