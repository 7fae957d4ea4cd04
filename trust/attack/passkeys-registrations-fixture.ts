import {
  addPasskey,
  beginAdding,
  beginSigningIn,
  createAuthenticator,
  withPasskey,
} from '../../packages/server/test/authenticator.ts';
import { createBrowser } from '../../packages/server/test/browser.ts';
import { cases } from '../ledger.ts';
import { base64url, clientData, type Keys, mustFail, type Options, ORIGIN, type Refused } from './passkeys-fixture.ts';
import { attested, CREDENTIAL_ID, hex, WRONG_CBOR, WRONG_DATA, WRONG_KEYS, wrapped } from './passkeys-keys-fixture.ts';
import { differs } from './unchanged-fixture.ts';

const COMPLETE = '/users/me/passkeys/register/complete';
const INVALID: Refused = { status: 400, code: 'invalid_input' };

export function tryRegistrations(current: () => Keys): void {
  const begin = (): Promise<Options> => beginAdding(current().newUser.browser);
  const send = (body: unknown) =>
    createBrowser(current().replicas.either(1), current().newUser.browser.jar).post(COMPLETE, body);
  const credentialOf = (client: Buffer, attestation: Buffer) => ({
    id: base64url(CREDENTIAL_ID),
    rawId: base64url(CREDENTIAL_ID),
    type: 'public-key',
    clientExtensionResults: {},
    response: { clientDataJSON: base64url(client), attestationObject: base64url(attestation), transports: [] },
  });
  const attempt = async (attestation: Buffer, changes: object = {}) => {
    const credential = credentialOf(clientData('webauthn.create', await begin(), changes), attestation);
    return mustFail(current(), INVALID, () => send({ credential }));
  };

  cases('registration: invalid keys are refused', async (ledger) => {
    for (const [name, key] of WRONG_KEYS) {
      await ledger.attempt(name, () => attempt(wrapped(attested({ key }))));
    }
  });

  cases('registration: malformed CBOR is refused', async (ledger) => {
    for (const [name, attestation] of WRONG_CBOR) await ledger.attempt(name, () => attempt(attestation));
    const whole = wrapped(attested());
    for (let length = 1; length < whole.length; length++) {
      await ledger.attempt(`cut off after ${length} bytes`, () => attempt(whole.subarray(0, length)));
    }
  });

  cases('registration: wrong authenticator data is refused', async (ledger) => {
    for (const [name, data] of WRONG_DATA) await ledger.attempt(name, () => attempt(wrapped(data)));
  });

  cases('registration: a wrong origin, and a challenge or credential of someone else, is refused', async (ledger) => {
    const clients: [string, object][] = [
      ['another port', { origin: 'http://localhost:8081' }],
      ['https', { origin: 'https://localhost:8080' }],
      ['a subdomain of the host', { origin: 'http://evil.localhost:8080' }],
      ['a host that begins like the right one', { origin: 'http://localhost.evil.example:8080' }],
      ['capitals', { origin: ORIGIN.toUpperCase() }],
      ['a look-alike', { origin: 'http://l\u043ecalhost:8080' }],
      ['the other ceremony', { type: 'webauthn.get' }],
      ['no type', { type: undefined }],
      ['inside another page', { crossOrigin: true }],
      ['a page around it', { topOrigin: 'https://evil.example' }],
    ];
    for (const [name, changes] of clients) await ledger.attempt(name, () => attempt(wrapped(attested()), changes));
    const { victim, thief, replicas } = current();
    const others: [string, () => Promise<Options>][] = [
      ['the challenge of another user', () => beginAdding(thief.browser)],
      ['the challenge of a sign-in', () => beginSigningIn(replicas.either(0), current().newUser.email)],
      ['the challenge of a sign-in without an email', () => beginSigningIn(replicas.either(0))],
    ];
    for (const [name, options] of others) {
      await ledger.attempt(name, async () => {
        const credential = credentialOf(clientData('webauthn.create', await options()), wrapped(attested()));
        return mustFail(current(), INVALID, () => send({ credential }));
      });
    }
    await ledger.attempt('a challenge that was used', async () => {
      const client = clientData('webauthn.create', await begin());
      await send({ credential: credentialOf(client, hex('00')) });
      const credential = credentialOf(client, wrapped(attested()));
      return mustFail(current(), { ...INVALID, spends: false }, () => send({ credential }));
    });
    for (const [name, id] of [
      ['the id of the victim’s passkey', victim.device.credential_id],
      ['a decoy id for an address without an account', undefined],
    ] as const) {
      await ledger.attempt(`${name}, with a key of one’s own`, async () => {
        const decoy = async () =>
          Buffer.from(
            ((await beginSigningIn(replicas.either(0), 'nobody@example.com')) as Options).allowCredentials[0].id,
            'base64url',
          );
        const device = createAuthenticator({ credential_id: id ?? (await decoy()) });
        const credential = device.create(await begin());
        return mustFail(current(), { status: 409, code: 'conflict' }, () => send({ credential }));
      });
    }
    await ledger.attempt('an unchanged response adds the passkey, once', async () => {
      const device = createAuthenticator();
      const { browser } = await withPasskey(replicas.either(0), device);
      const [added, again] = [await addPasskey(browser, createAuthenticator()), await addPasskey(browser, device)];
      return differs([added.status, again.status], [201, 409]);
    });
    await ledger.attempt('the unchanged response that the cases are derived from is accepted', async () => {
      const credential = credentialOf(clientData('webauthn.create', await begin()), wrapped(attested()));
      return differs([(await send({ credential })).status], [201]);
    });
  });
}
