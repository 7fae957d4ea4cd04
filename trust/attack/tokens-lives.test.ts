import { sql } from 'kysely';
import { afterAll, beforeAll, describe } from 'vitest';
import { sealChallenge } from '../../packages/server/src/domain/passkeys/challenge.ts';
import { signPrivateToken } from '../../packages/server/src/domain/sessions/private-token.ts';
import { sealFlow } from '../../packages/server/src/domain/upstream/flow.ts';
import { CONFIG_KEY } from '../../packages/server/src/features/social/oauth-fixture.ts';
import { createKeyring } from '../../packages/server/src/platform/crypto/keyring.ts';
import { claimsOf, registerUser } from '../../packages/server/test/browser.ts';
import { startFakeProvider } from '../../packages/server/test/fake-providers/provider.ts';
import type { FakeProvider } from '../../packages/server/test/fake-providers/types.ts';
import { SECRET } from '../../packages/server/test/postgres.ts';
import { countSessions, kindsOf } from '../../packages/server/test/records.ts';
import { type Replicas, startReplicas } from '../../packages/server/test/replicas.ts';
import { isFull } from '../effort.ts';
import { cases } from '../ledger.ts';
import { ENDINGS, registerAdmin, setScene, TAKINGS, tryEnding, tryTaking } from './tokens-endings-fixture.ts';
import { type Collection, collect, KINDS, type Kind, PLACES, type Place } from './tokens-purposes-fixture.ts';

let google: FakeProvider;
let replicas: Replicas;
let collection: Collection;
beforeAll(async () => {
  google = await startFakeProvider('oauth_a');
  replicas = await startReplicas(2, {
    CONFIG_ENCRYPTION_KEY: CONFIG_KEY,
    ...google.environment,
    OAUTH_A_CLIENT_ID: google.settings.public_config.client_id!,
    OAUTH_A_CLIENT_SECRET: google.settings.secret,
  });
  collection = await collect(replicas, google);
});
afterAll(async () => {
  await replicas.close();
  await google.close();
});

let next = 0;
const present = (place: Place, token: string) => place.present(replicas.either(next++), token, collection);

/** A sign-in computes a password hash, so the short form tries only tokens that look like a trust cookie. */
const LOOK_ALIKES: ReadonlySet<Kind> = new Set(['reset', 'verification', 'invitation', 'browser of a flow']);
const isTried = ({ own }: Place, kind: Kind): boolean => isFull || !own.includes('trust') || LOOK_ALIKES.has(kind);

/** Returns everything that a token in the wrong place could have changed. */
async function traces(): Promise<string> {
  const { user, other, keyholder } = collection;
  const accounts = [user, other, keyholder];
  const seen = accounts.map(async ({ user_id }) => [
    await countSessions(replicas.database, user_id),
    await kindsOf(replicas.database, user_id),
  ]);
  const users = await replicas.database.db.selectFrom('users').select('id').execute();
  return JSON.stringify([await Promise.all(seen), users.length]);
}

describe('a token of one kind', () => {
  cases('a token of one kind is refused where another kind is expected, and nothing is consumed', async (ledger) => {
    const before = await traces();
    for (const place of PLACES) {
      for (const kind of KINDS.filter((one) => !place.own.includes(one) && isTried(place, one))) {
        await ledger.attempt(`${kind} at ${place.name}`, async () => {
          const answer = await present(place, collection.tokens[kind]);
          if (
            place.opened(answer) ||
            answer.status >= 500 ||
            answer.set_cookies.some((line) => /_(at|rt)=[^;]/.test(line))
          )
            return `${answer.status} ${answer.text.slice(0, 200)}`;
          return undefined;
        });
      }
    }
    await ledger.attempt('nothing has changed', async () => {
      const after = await traces();
      return after === before ? undefined : `${before} became ${after}`;
    });
  });

  cases('a token is refused after it has expired, also where it is expected', async (ledger) => {
    const ended = endedTokens();
    await moveEnds(-40);
    for (const place of PLACES) {
      // Expired access tokens are tested with the forged tokens; a CSRF value expires with its session.
      for (const kind of place.own.filter((one) => one !== 'access' && one !== 'CSRF')) {
        await ledger.attempt(`${kind} at ${place.name}`, async () => {
          const answer = await present(place, ended[kind]);
          return place.opened(answer) ? `${answer.status} ${answer.text.slice(0, 200)}` : undefined;
        });
      }
    }
    await moveEnds(40);
  });

  cases('a token is accepted where it is expected, and single-use tokens only once', async (ledger) => {
    for (const place of PLACES) {
      for (const kind of place.own) {
        await ledger.attempt(`${kind} at ${place.name}`, async () => {
          const answer = await present(place, collection.tokens[kind]);
          return place.opened(answer) ? undefined : `it was live, and was answered ${answer.status} ${answer.text}`;
        });
      }
    }
    for (const place of PLACES.filter(({ name }) => SINGLE_USE.test(name))) {
      for (const kind of place.own) {
        await ledger.attempt(`${kind} at ${place.name} once more`, async () => {
          const answer = await present(place, collection.tokens[kind]);
          return place.opened(answer) ? `${answer.status} ${answer.text.slice(0, 200)}` : undefined;
        });
      }
    }
  });
});

const SINGLE_USE = /^POST \/auth\/(refresh|mfa|email-otp|email\/verify|password|passkey|invitations)|callback/;

const STORED = ['one_time_tokens', 'invitations', 'trusted_browsers'] as const;

async function moveEnds(days: number): Promise<void> {
  for (const table of STORED) {
    const later = sql`expires_at + ${days} * interval '1 day'`;
    await sql`update ${sql.table(table)} set expires_at = ${later}`.execute(replicas.database.db);
  }
}

/** Returns expired tokens: a token that contains its expiry is created again with an earlier expiry. */
function endedTokens(): Record<Kind, string> {
  const { tokens, keyholder } = collection;
  const keyring = createKeyring(SECRET);
  const exp = Math.floor(Date.now() / 1000) - 1;
  const yesterday = new Date(Date.now() - 86_400_000);
  const ended = (typ: 'refresh' | 'mfa') => signPrivateToken(keyring, typ, { ...claimsOf(tokens[typ]), exp });
  const challenge = sealChallenge(keyring, { kind: 'login', subject: keyholder.user_id }, yesterday);
  return {
    ...tokens,
    refresh: ended('refresh'),
    mfa: ended('mfa'),
    state: sealFlow(
      keyring,
      'oauth-flow',
      { provider: 'oauth_a', redirect_to: '/' },
      tokens['browser of a flow'],
      yesterday,
    ).state,
    'passkey challenge': challenge.toString('base64url'),
  };
}

/** The endings that the short form tries. The others have tests next to their code, or among the races. */
const SHORT: ReadonlySet<string> = new Set([
  'a changed password',
  'a password that was reset',
  'removal from the organization',
  'a suspended organization',
  'a disabled account',
  'a refresh token that was used twice',
]);

describe('a session that was ended', () => {
  cases(
    'a session that was ended is invalid on both servers, with every token, and listed in the feed',
    async (ledger) => {
      const admin = await registerAdmin(replicas);
      const owner = await registerUser(replicas.urls[0]!);
      const suspended = 'a suspended organization';
      const scenes = Object.keys(ENDINGS).filter((name) => isFull || SHORT.has(name));
      await Promise.all(
        scenes.map(async (name) => {
          const ownerThere = name === suspended ? await registerUser(replicas.urls[0]!) : owner;
          await tryEnding(ledger, name, await setScene(replicas, admin, ownerThere));
        }),
      );
    },
  );
});

describe('a role or second factor that a session loses without ending', () => {
  cases(
    'a role or second factor that a session loses without ending is no longer effective on either server',
    async (ledger) => {
      const admin = await registerAdmin(replicas);
      for (const [name, taking] of Object.entries(TAKINGS)) await tryTaking(ledger, name, taking, replicas, admin);
    },
  );
});
