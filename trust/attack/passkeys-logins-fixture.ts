import { randomBytes, sign } from 'node:crypto';
import { sealChallenge } from '../../packages/server/src/domain/passkeys/challenge.ts';
import { userHandleOf } from '../../packages/server/src/features/passkeys/relying-party.ts';
import { createKeyring } from '../../packages/server/src/platform/crypto/keyring.ts';
import {
  beginAdding,
  beginSigningIn,
  createAuthenticator,
  withPasskey,
} from '../../packages/server/test/authenticator.ts';
import { newEmail } from '../../packages/server/test/browser.ts';
import { SECRET } from '../../packages/server/test/postgres.ts';
import { cases } from '../ledger.ts';
import {
  authData,
  base64url,
  clientData,
  type Keys,
  mustFail,
  type Options,
  type Refused,
  sha256,
  signedBy,
  signIn,
} from './passkeys-fixture.ts';
import { BROKEN_CLIENTS, CLIENTS, DATA, SIGNATURES } from './passkeys-lies-fixture.ts';
import { differs } from './unchanged-fixture.ts';

const UNAUTHENTICATED = { status: 401, code: 'authentication_required' } as const;
const refused = (reason: string): Refused => ({ ...UNAUTHENTICATED, reason });
/** The response contains no challenge of the service: nothing is consumed and nothing is written. */
const unread: Refused = { ...UNAUTHENTICATED, spends: false };

export function tryLogins(current: () => Keys): void {
  const begin = async (email: string | undefined = current().victim.email): Promise<Options> =>
    beginSigningIn(current().replicas.either(0), email);
  const attempt = (expected: Refused, credential: unknown) =>
    mustFail(current(), expected, () => signIn(current().replicas.either(1), credential));

  cases('sign-in: a wrong origin or type in the client data is refused', async (ledger) => {
    for (const [name, changes] of CLIENTS) {
      await ledger.attempt(name, async () => {
        const client = clientData('webauthn.get', await begin(), changes);
        return attempt(refused('verification'), signedBy(current().victim.device, client, authData()));
      });
    }
  });

  cases('sign-in: wrong authenticator data is refused', async (ledger) => {
    for (const [name, data] of DATA) {
      await ledger.attempt(name, async () => {
        const client = clientData('webauthn.get', await begin());
        return attempt(refused('verification'), signedBy(current().victim.device, client, data));
      });
    }
  });

  cases('sign-in: invalid signatures are refused', async (ledger) => {
    const { victim, thief } = current();
    for (const [name, modify] of SIGNATURES) {
      await ledger.attempt(name, async () =>
        attempt(refused('verification'), victim.device.get(await begin(), { counter: 1, signature: modify })),
      );
    }
    await ledger.attempt('in the form of another standard', async () => {
      const client = clientData('webauthn.get', await begin());
      const input = Buffer.concat([authData(), sha256(client)]);
      const signature = sign('sha256', input, { key: victim.device.private_key, dsaEncoding: 'ieee-p1363' });
      return attempt(
        refused('verification'),
        signedBy(victim.device, client, authData(), { signature: base64url(signature) }),
      );
    });
    await ledger.attempt('of another key, under the victim’s id', async () => {
      const client = clientData('webauthn.get', await begin());
      return attempt(refused('verification'), {
        ...signedBy(thief.device, client, authData()),
        id: victim.device.id,
        rawId: victim.device.id,
      });
    });
    await ledger.attempt('of something else that the victim signed', async () => {
      const earlier = signedBy(victim.device, clientData('webauthn.get', await begin()), authData());
      const now = signedBy(victim.device, clientData('webauthn.get', await begin()), authData());
      const { signature } = earlier.response;
      return attempt(refused('verification'), { ...now, response: { ...now.response, signature } });
    });
  });

  cases('sign-in: malformed client data is refused', async (ledger) => {
    for (const [name, modify] of BROKEN_CLIENTS) {
      await ledger.attempt(name, async () => {
        const client = modify(clientData('webauthn.get', await begin()));
        return attempt(unread, signedBy(current().victim.device, client, authData()));
      });
    }
  });

  cases('sign-in: a challenge, passkey or user handle of someone else is refused', async (ledger) => {
    const { victim, thief, replicas } = current();
    const handle = (user_id: string) => ({ userHandle: base64url(userHandleOf(user_id)) });
    const answer = (options: Options, device = victim.device, response = {}) =>
      signedBy(device, clientData('webauthn.get', options), authData(), response);
    await ledger.attempt('begun for the thief, finished with the victim’s passkey', async () =>
      attempt(refused('challenge'), answer(await begin(thief.email))),
    );
    await ledger.attempt('begun for the victim, finished with the thief’s passkey', async () =>
      attempt(refused('challenge'), answer(await begin(), thief.device)),
    );
    await ledger.attempt('begun for an address without an account', async () =>
      attempt(refused('challenge'), answer(await begin(newEmail('nobody')))),
    );
    await ledger.attempt('the challenge of a registration', async () =>
      attempt(refused('challenge'), answer(await beginAdding(victim.browser))),
    );
    await ledger.attempt('the challenge of another user’s registration', async () =>
      attempt(refused('challenge'), answer(await beginAdding(thief.browser))),
    );
    await ledger.attempt('the thief’s passkey with the victim’s handle', async () =>
      attempt(refused('verification'), answer(await begin(thief.email), thief.device, handle(victim.user_id))),
    );
    await ledger.attempt('the same without an email at begin', async () => {
      const options = await beginSigningIn(replicas.either(0));
      return attempt(refused('verification'), answer(options, thief.device, handle(victim.user_id)));
    });
    for (const [name, userHandle] of [
      ['none', null],
      ['an empty one', ''],
      ['the id as text', base64url(victim.user_id)],
      ['64 bytes', base64url(Buffer.alloc(64))],
      ['an object', {}],
    ] as const) {
      await ledger.attempt(`without an email at begin, a handle: ${name}`, async () =>
        attempt(
          refused('verification'),
          answer(await beginSigningIn(replicas.either(0)), victim.device, { userHandle }),
        ),
      );
    }
    await ledger.attempt('the id of a passkey that does not exist', async () =>
      attempt(refused('unknown'), answer(await begin(), createAuthenticator())),
    );
    await ledger.attempt('a decoy id for an address without an account', async () => {
      const options = await begin(newEmail('nobody'));
      const id = options.allowCredentials[0].id as string;
      return attempt(refused('unknown'), answer(options, { ...createAuthenticator(), id }));
    });
    await ledger.attempt('a passkey that was removed at the other server', async () => {
      const gone = await withPasskey(replicas.either(0));
      const options = await begin(gone.email);
      await gone.browser.delete(`/users/me/passkeys/${gone.passkey_id}`);
      return attempt(refused('unknown'), answer(options, gone.device));
    });
    const keyring = createKeyring(SECRET);
    const minutes = (count: number) => new Date(Date.now() + count * 60_000);
    const made: [string, Buffer][] = [
      ['that has ended', sealChallenge(keyring, { kind: 'login', subject: victim.user_id }, minutes(-6))],
      [
        'of another service',
        sealChallenge(createKeyring('x'.repeat(32)), { kind: 'login', subject: victim.user_id }, minutes(0)),
      ],
      ['that is noise', randomBytes(49)],
      ['that is zeros', Buffer.alloc(49)],
      ['that is short', randomBytes(16)],
    ];
    for (const [name, challenge] of made) {
      await ledger.attempt(`a challenge ${name}`, () => attempt(unread, answer({ challenge: base64url(challenge) })));
    }
  });

  cases('sign-in: old counters and replayed responses are refused', async (ledger) => {
    const { replicas } = current();
    const counting = await withPasskey(replicas.either(0));
    const get = async (counter: number) => counting.device.get(await begin(counting.email), { counter });
    const first = await signIn(replicas.either(1), await get(9));
    ledger.enter('counter 9 is accepted', differs([first.status], [200]));
    for (const counter of [9, 8, 1, 0]) {
      await ledger.attempt(`counter 9, then ${counter}`, async () => attempt(refused('counter'), await get(counter)));
    }
    for (const counts of [true, false]) {
      const again = await withPasskey(replicas.either(0), createAuthenticator({ counts }));
      const credential = again.device.get(await begin(again.email));
      const { status } = await signIn(replicas.either(0), credential);
      ledger.enter(`a passkey that ${counts ? 'counts' : 'does not count'} is accepted once`, differs([status], [200]));
      for (const [index, url] of replicas.urls.entries()) {
        await ledger.attempt(`the same response is rejected at server ${index + 1}`, () =>
          mustFail(current(), { ...refused('challenge'), spends: false }, () => signIn(url, credential)),
        );
      }
    }
    await ledger.attempt('another site posts it as text/plain', async () => {
      const { thief } = current();
      const credential = thief.device.get(await begin(thief.email), { counter: 1 });
      const answer = await fetch(`${replicas.either(1)}/v1/auth/passkey/login/complete`, {
        method: 'POST',
        headers: { 'content-type': 'text/plain', origin: 'https://evil.example' },
        body: JSON.stringify({ credential }),
      });
      return differs([answer.status, answer.headers.getSetCookie()], [400, []]);
    });
    await ledger.attempt('the victim’s passkey is accepted afterwards', async () => {
      const { victim } = current();
      const { status, json } = await signIn(replicas.either(1), victim.device.get(await begin(), { counter: 1 }));
      return differs([status, json.user?.user_id], [200, victim.user_id]);
    });
  });
}
