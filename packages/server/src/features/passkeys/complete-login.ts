import { NIL_UUID, type PasskeyLoginRequest } from '@gatehouse/contract';
import type { PasskeyRefusal } from '../../domain/audit/events.ts';
import { auditRow } from '../../domain/audit/record.ts';
import type { Caller, Deps } from '../../domain/context.ts';
import { addressCounters } from '../../domain/limits/address-counters.ts';
import { alarmsOf, countFailedAttempt, failureCounters } from '../../domain/limits/failed-attempts.ts';
import { type Challenge, openChallenge } from '../../domain/passkeys/challenge.ts';
import { claimPasskey, type FoundPasskey, spendChallenge } from '../../domain/passkeys/queries.ts';
import { badCredentials } from '../../domain/service-error.ts';
import { completeSignIn, type Outcome, type SignInFacts } from '../../domain/sign-in/complete.ts';
import { type Account, findAccount, insertFailure } from '../../domain/sign-in/queries.ts';
import { startFixedTime } from '../../platform/fixed-time.ts';
import { type GivenCredential, readCredential } from './credential.ts';
import { userHandleOf } from './relying-party.ts';
import { type Assertion, verifyAssertion } from './verify.ts';

interface Attempt extends PasskeyLoginRequest {
  readonly trust_hash: Buffer | undefined;
}

/**
 * §4.3 POST /auth/passkey/login/complete: what the browser signed → session at aal2. The challenge is used up first,
 * whatever comes of it. To refuse takes the same work for a passkey that exists and for one that we made up at the
 * beginning: one look, one signature, one account, one row, and the same 401.
 */
export async function completeLogin(
  deps: Deps,
  caller: Caller,
  { credential, organization_id: asked, trust_hash }: Attempt,
): Promise<Exclude<Outcome, 'too late'>> {
  const { clock, config, db, keyring, limiter } = deps;
  const fixedTime = startFixedTime();
  const given = readCredential(credential);
  const challenge = given.challenge && openChallenge(keyring, given.challenge, clock.now());
  // Not issued by this service, or expired. Nothing is audited: anyone can invent any number of challenges.
  if (!challenge) {
    await countFailedAttempt(deps, caller);
    throw badCredentials();
  }
  const counters = addressCounters(limiter, caller, 'passkey', config.LIMIT_PASSKEY_PER_ADDRESS);
  const address_counters = failureCounters(deps, caller);
  const { unused, limited, passkey } = await spendChallenge(db, challenge, given.id, { counters, now: clock.now() });
  const [assertion, { account, address_full_until }] = await Promise.all([
    verifyAssertion(deps, given, passkey?.public_key ?? STAND_IN),
    findAccount(db, {
      user_id: passkey?.user_id ?? NIL_UUID,
      organization_id: asked,
      trust_hash,
      address_counters,
      now: clock.now(),
    }),
  ]);
  if (address_full_until) {
    await fixedTime();
    throw badCredentials();
  }
  const row = (facts: Facts) => loginRow(deps, caller, { account, passkey }, facts);
  const refuse = async (reason: PasskeyRefusal): Promise<never> => {
    const { request_id } = caller;
    const { id: passkey_id, user_id } = passkey ?? {};
    if (reason === 'counter')
      deps.log.warn(
        { passkey_id, user_id, request_id },
        'the signature counter of a passkey went backwards: it may be cloned',
      );
    const organization_id = account?.organization_id ?? NIL_UUID;
    // A right one is taken all the same; a flood of wrong ones leaves no more of a trail.
    if (limited) {
      await countFailedAttempt(deps, caller);
      throw badCredentials();
    }
    const alarms = alarmsOf(deps, caller, address_counters);
    const audit = row({ organization_id, outcome: 'failure', reason });
    await insertFailure(db, { counters, alarms, audit, now: clock.now() });
    throw badCredentials();
  };
  const judged = judge({ challenge, unused, given, passkey, assertion, account });
  if (typeof judged === 'string') return refuse(judged);
  const now = clock.now();
  const outcome = await completeSignIn(deps, caller, judged.account, {
    method: 'passkey',
    first_factor: 'passkey',
    aal: 'aal2',
    mfa_verified_at: now,
    settles_mfa: true,
    claim: claimPasskey({ ...judged, now }),
    audit: ({ metadata: _metadata, ...facts }) => [
      row({ ...facts, ...(facts.outcome === 'failure' && { reason: 'organization' }) }),
    ],
  });
  if (outcome === 'too late') return refuse('superseded');
  return outcome;
}

interface Evidence {
  readonly challenge: Challenge;
  readonly unused: boolean;
  readonly given: GivenCredential;
  readonly passkey: FoundPasskey | undefined;
  readonly assertion: Assertion | undefined;
  readonly account: Account | undefined;
}

interface Judged extends Assertion {
  readonly account: Account;
  readonly passkey: FoundPasskey;
  readonly credential_id: Buffer;
}

/** The first thing that is wrong, or all that the sign-in rests on. */
function judge({ challenge, unused, given, passkey, assertion, account }: Evidence): PasskeyRefusal | Judged {
  if (!unused || challenge.kind !== 'login') return 'challenge';
  if (!passkey || !given.id) return 'unknown';
  const { subject } = challenge;
  if (subject !== NIL_UUID && subject !== passkey.user_id) return 'challenge';
  // Where nobody was named at the beginning, the authenticator has to say who it is.
  const handle = given.user_handle ?? (subject === NIL_UUID ? undefined : userHandleOf(passkey.user_id));
  if (!assertion || !handle?.equals(userHandleOf(passkey.user_id))) return 'verification';
  // Whether it may leave its device is settled when it is made. Some tell so only once they have left it; none comes back.
  if (passkey.device_type === 'multiDevice' && assertion.device_type === 'singleDevice') return 'verification';
  if (!counts(passkey.sign_count, assertion.sign_count)) return 'counter';
  if (account?.status !== 'active') return 'account';
  return { account, passkey, credential_id: given.id, ...assertion };
}

/** Upwards, or not at all: then it is 0 for ever. */
const counts = (stored: number, given: number): boolean => given > stored || (given === 0 && stored === 0);

interface Facts extends Pick<SignInFacts, 'organization_id' | 'outcome'> {
  readonly reason?: PasskeyRefusal;
}

interface Who {
  readonly account: Account | undefined;
  readonly passkey: FoundPasskey | undefined;
}

/** Whether the signature was accepted as the passkey's own. */
const isProved = (reason: PasskeyRefusal | undefined): boolean =>
  reason === undefined || reason === 'account' || reason === 'organization' || reason === 'superseded';

const loginRow = (deps: Deps, caller: Caller, { account, passkey }: Who, { reason, ...facts }: Facts) =>
  auditRow(caller, {
    action: 'auth.passkey.login',
    now: deps.clock.now(),
    resource_type: 'user',
    resource_id: account?.id ?? NIL_UUID,
    actor_id: isProved(reason) ? (account?.id ?? null) : null,
    ...facts,
    metadata: { ...(passkey && { passkey_id: passkey.id }), ...(reason && { reason }) },
  });

/** An ES256 key to judge by where there is none: the curve's generator. What it finds right is refused all the same. */
const STAND_IN = Buffer.from(
  'a50102032620012158206b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296' +
    '2258204fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5',
  'hex',
);
