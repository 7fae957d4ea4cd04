import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { createAuthenticator, type GivenCredential } from '../../server/test/authenticator.ts';
import { PASSWORD, registerUser } from '../../server/test/browser.ts';
import { useTestApp } from '../../server/test/harness.ts';
import {
  addPasskey,
  askForPasskey,
  createClient,
  signInWithPasskey,
  supportsPasskeyAutofill,
  supportsPasskeys,
} from './index.ts';

const app = useTestApp();
let base: string;
beforeAll(async () => {
  base = `${await app.server.listen({ host: '127.0.0.1', port: 0 })}/v1`;
});
afterEach(() => vi.unstubAllGlobals());

const toBuffer = (text: unknown): ArrayBuffer => Uint8Array.from(Buffer.from(String(text), 'base64url')).buffer;
const toText = (bytes: ArrayBuffer): string => Buffer.from(bytes).toString('base64url');

/** Simulates the browser API, which uses bytes where the service uses base64url. */
function plugIn() {
  const device = createAuthenticator();
  const asked: Record<string, unknown>[] = [];
  const inBytes = ({ response, ...given }: GivenCredential, transports: boolean) => ({
    ...given,
    rawId: toBuffer(given.rawId),
    response: {
      ...Object.fromEntries(
        Object.entries(response)
          .filter(([, value]) => typeof value === 'string')
          .map(([name, value]) => [name, toBuffer(value)]),
      ),
      ...(transports && { getTransports: () => ['internal'] }),
    },
    getClientExtensionResults: () => given.clientExtensionResults,
  });
  const inText = (options: { publicKey: { challenge: ArrayBuffer; user?: { id: ArrayBuffer } } }) => {
    asked.push(options);
    const { publicKey } = options;
    return {
      ...publicKey,
      challenge: toText(publicKey.challenge),
      ...(publicKey.user && { user: { ...publicKey.user, id: toText(publicKey.user.id) } }),
    };
  };
  vi.stubGlobal('PublicKeyCredential', { isConditionalMediationAvailable: async () => true });
  vi.stubGlobal('navigator', {
    credentials: {
      create: async (options: never) => inBytes(device.create(inText(options)), true),
      get: async (options: never) => inBytes(device.get(inText(options)), false),
    },
  });
  return { device, asked };
}

describe('passkeys', () => {
  it('a passkey is created on a device and signs in there, by dialog or autofill', async () => {
    const { email, user_id } = await registerUser(app);
    const client = createClient({ base });
    await client.signIn.withPassword({ email, password: PASSWORD });
    const { device, asked } = plugIn();
    expect(supportsPasskeys()).toBe(true);
    expect(await supportsPasskeyAutofill()).toBe(true);
    const made = await addPasskey(client, { name: 'My laptop' });
    expect(made).toMatchObject({ name: 'My laptop', transports: ['internal'] });
    // The browser rejects a second passkey on the same device, so it needs the list of existing ones.
    const { publicKey } = await client.passkeys.begin();
    expect(publicKey.excludeCredentials).toMatchObject([{ id: device.id }]);

    const signedOutClient = createClient({ base });
    const { signal } = new AbortController();
    expect(await signInWithPasskey(signedOutClient, { email, signal })).toMatchObject({
      status: 'success',
      user: { user_id },
    });
    expect((await signedOutClient.session.current()).user.aal).toBe('aal2');
    expect(asked.at(-1)).toMatchObject({
      signal,
      publicKey: { allowCredentials: [{ type: 'public-key', id: expect.any(Uint8Array) }] },
    });
    expect(asked.at(-1)).not.toHaveProperty('mediation');

    const { publicKey: question } = await signedOutClient.signIn.beginPasskey();
    const chosen = await askForPasskey(question, { autofill: true });
    expect(asked.at(-1)).toMatchObject({ mediation: 'conditional' });
    expect(await createClient({ base }).signIn.withPasskey(chosen)).toMatchObject({ user: { user_id } });
  });

  it('passkey calls fail with NotAllowedError if none is chosen, and with NotSupportedError if the browser has no support', async () => {
    const { publicKey } = await createClient({ base }).signIn.beginPasskey();
    expect(supportsPasskeys()).toBe(false);
    expect(await supportsPasskeyAutofill()).toBe(false);
    await expect(askForPasskey(publicKey)).rejects.toMatchObject({ name: 'NotSupportedError' });
    vi.stubGlobal('navigator', { credentials: { get: async () => null } });
    await expect(askForPasskey(publicKey)).rejects.toMatchObject({ name: 'NotAllowedError' });
  });
});
