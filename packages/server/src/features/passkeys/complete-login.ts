import { NIL_UUID, type PasskeyLoginRequest } from '@gatehouse/contract';
import type { PasskeyRefusal } from '../../domain/audit/events.ts';
import { auditRow } from '../../domain/audit/record.ts';
import type { Deps } from '../../domain/context.ts';
import type { Caller } from '../../domain/kernel/caller.ts';
import { badCredentials } from '../../domain/kernel/service-error.ts';
import { addressCounters } from '../../domain/limits/address-counters.ts';
import { alarmsOf, countFailedAttempt, failureCounters } from '../../domain/limits/failed-attempts.ts';
import { insertFailure } from '../../domain/limits/queries.ts';
import { type Challenge, openChallenge } from '../../domain/passkeys/challenge.ts';
import { claimPasskey, type FoundPasskey, spendChallenge } from '../../domain/passkeys/queries.ts';
import { completeSignIn, type Outcome, type SignInFacts } from '../../domain/sign-in/complete.ts';
import { type Account, findAccount } from '../../domain/sign-in/queries.ts';
import { startFixedTime } from '../../platform/fixed-time.ts';
import { asRecord, type GivenCredential, readCredential } from './credential.ts';
import { userHandleOf } from './relying-party.ts';
import { type Assertion, verifyAssertion } from './verify.ts';

interface Attempt extends PasskeyLoginRequest {
  readonly trust_hash: Buffer | undefined;
}

/**
 * §4.3 POST /auth/passkey/login/complete: signed challenge → session at aal2. The challenge is consumed first, whatever
 * the result. A failure does the same work for a real passkey and for a decoy: one lookup, one signature check, one
 * account, one audit row, and the same 401.
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
  // The challenge was not issued here or has expired. Not audited: a client can invent any number of challenges.
  if (!challenge) {
    await countFailedAttempt(deps, caller);
    throw badCredentials();
  }
  const counters = addressCounters(limiter, caller, 'passkey', config.LIMIT_PASSKEY_PER_ADDRESS);
  const address_counters = failureCounters(deps, caller);
  const { unused, limited, passkey } = await spendChallenge(db, challenge, given.id, { counters, now: clock.now() });
  const [assertion, { account, address_full_until }] = await Promise.all([
    verifyAssertion(deps, given, passkey?.public_key ?? STAND_IN_KEY),
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
  const fail = async (reason: PasskeyRefusal): Promise<never> => {
    const { request_id } = caller;
    const { id: passkey_id, user_id } = passkey ?? {};
    if (reason === 'counter')
      deps.log.warn(
        { passkey_id, user_id, request_id },
        'the signature counter of a passkey went backwards: it may be cloned',
      );
    const organization_id = account?.organization_id ?? NIL_UUID;
    // A valid passkey is accepted even over the limit; failures are no longer audited.
    if (limited) {
      await countFailedAttempt(deps, caller);
      throw badCredentials();
    }
    const alarms = alarmsOf(deps, caller, address_counters);
    const audit = row({ organization_id, outcome: 'failure', reason });
    await insertFailure(db, { counters, alarms, audit, now: clock.now() });
    throw badCredentials();
  };
  const checked = checkEvidence({ challenge, unused, given, passkey, assertion, account });
  if (typeof checked === 'string') return fail(checked);
  const now = clock.now();
  const outcome = await completeSignIn(deps, caller, checked.account, {
    method: 'passkey',
    first_factor: 'passkey',
    aal: 'aal2',
    mfa_verified_at: now,
    settles_mfa: true,
    claim: claimPasskey({ ...checked, now }),
    audit: ({ metadata, ...facts }) => [
      row({ ...facts, ...(facts.outcome === 'failure' && { reason: reasonOf(metadata) }) }),
    ],
  });
  if (outcome === 'too late') return fail('superseded');
  return outcome;
}

/** §4.3: the challenge is consumed also if the rest of the body is invalid. */
export async function discardChallenge({ clock, db, keyring }: Deps, body: unknown): Promise<void> {
  const given = readCredential(asRecord(asRecord(body).credential));
  const now = clock.now();
  const challenge = given.challenge && openChallenge(keyring, given.challenge, now);
  if (challenge) await spendChallenge(db, challenge, undefined, { counters: [], now });
}

interface Evidence {
  readonly challenge: Challenge;
  readonly unused: boolean;
  readonly given: GivenCredential;
  readonly passkey: FoundPasskey | undefined;
  readonly assertion: Assertion | undefined;
  readonly account: Account | undefined;
}

interface Checked extends Assertion {
  readonly account: Account;
  readonly passkey: FoundPasskey;
  readonly credential_id: Buffer;
}

function checkEvidence({ challenge, unused, given, passkey, assertion, account }: Evidence): PasskeyRefusal | Checked {
  if (!unused || challenge.kind !== 'login') return 'challenge';
  if (!passkey || !given.id) return 'unknown';
  const { subject } = challenge;
  if (subject !== NIL_UUID && subject !== passkey.user_id) return 'challenge';
  // If the login began without an email, the authenticator must name the user.
  const handle = given.user_handle ?? (subject === NIL_UUID ? undefined : userHandleOf(passkey.user_id));
  if (!assertion || !handle?.equals(userHandleOf(passkey.user_id))) return 'verification';
  // Backup eligibility is fixed at creation; some authenticators report it late, but none may revoke it.
  if (passkey.device_type === 'multiDevice' && assertion.device_type === 'singleDevice') return 'verification';
  if (!hasAdvanced(passkey.sign_count, assertion.sign_count)) return 'counter';
  if (account?.status !== 'active') return 'account';
  return { account, passkey, credential_id: given.id, ...assertion };
}

/** The counter must increase, or stay 0 for authenticators without one. */
const hasAdvanced = (stored: number, given: number): boolean => given > stored || (given === 0 && stored === 0);

interface Facts extends Pick<SignInFacts, 'organization_id' | 'outcome'> {
  readonly reason?: PasskeyRefusal;
}

interface Subject {
  readonly account: Account | undefined;
  readonly passkey: FoundPasskey | undefined;
}

/** The audit reason if the signature was valid but no session was allowed. */
const reasonOf = ({ reason }: SignInFacts['metadata']): PasskeyRefusal =>
  reason === 'policy' ? 'policy' : 'organization';

const PROVED: ReadonlySet<PasskeyRefusal> = new Set(['account', 'organization', 'policy', 'superseded']);

/** Whether the signature was accepted as the passkey's own. */
const isProved = (reason: PasskeyRefusal | undefined): boolean => reason === undefined || PROVED.has(reason);

const loginRow = (deps: Deps, caller: Caller, { account, passkey }: Subject, { reason, ...facts }: Facts) =>
  auditRow(caller, {
    action: 'auth.passkey.login',
    now: deps.clock.now(),
    resource_type: 'user',
    resource_id: account?.id ?? NIL_UUID,
    actor_id: isProved(reason) ? (account?.id ?? null) : null,
    ...facts,
    metadata: { ...(passkey && { passkey_id: passkey.id }), ...(reason && { reason }) },
  });

/** A stand-in ES256 key (the curve's generator) for unknown passkeys. A match with it is rejected all the same. */
const STAND_IN_KEY = Buffer.from(
  'a50102032620012158206b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296' +
    '2258204fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5',
  'hex',
);
