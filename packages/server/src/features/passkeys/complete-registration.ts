import { LIMITS, type Passkey, type PasskeyRegisterRequest } from '@gatehouse/contract';
import { v7 as uuid } from 'uuid';
import { recordAudit } from '../../domain/audit/record.ts';
import { requireFreshAuth } from '../../domain/authorization/fresh-auth.ts';
import type { Deps } from '../../domain/context.ts';
import type { Caller } from '../../domain/kernel/caller.ts';
import { notSignedIn, ServiceError } from '../../domain/kernel/service-error.ts';
import type { SessionState } from '../../domain/kernel/session-state.ts';
import { nameOfUserAgent } from '../../domain/kernel/user-agent.ts';
import { openChallenge } from '../../domain/passkeys/challenge.ts';
import { countPasskeys, insertPasskey, spendChallenge } from '../../domain/passkeys/queries.ts';
import { findSessionForFreshAuth, rememberOwnCredential } from '../../domain/sessions/queries.ts';
import { notifyWithinLimit } from '../../domain/users/notify.ts';
import { lockActiveUser } from '../../domain/users/queries.ts';
import { violatedConstraint } from '../../platform/db/errors.ts';
import { transact } from '../../platform/db/transact.ts';
import { tooManyPasskeys } from './begin-registration.ts';
import { type GivenCredential, readCredential } from './credential.ts';
import { isDecoy } from './decoys.ts';
import { describePasskey } from './describe.ts';
import { originsOf } from './relying-party.ts';
import { type NewPasskey, verifyNewPasskey } from './verify.ts';

/** docs/reference/sign-in.md#passkeys: POST /users/me/passkeys/register/complete. */
export async function completeRegistration(
  deps: Deps,
  caller: Caller,
  session: SessionState,
  { credential, name }: PasskeyRegisterRequest,
): Promise<Passkey> {
  const given = readCredential(credential);
  const { isKnown, isUnproven } = await spend(deps, session, given);
  const made = await verifyNewPasskey(deps, given);
  if (!made)
    throw invalid(
      `is not a new passkey that was created at ${originsOf(deps.config).join(' or ')} with user verification`,
    );
  if (isKnown) throw alreadyAdded();
  const passkey = {
    ...made,
    name: name?.trim() ?? nameOfUserAgent(caller.user_agent),
    transports: [...given.transports],
  };
  return store(deps, caller, session, { passkey, isUnproven }).catch((error: unknown) => {
    throw violatedConstraint(error) === 'passkeys_credential_key' ? alreadyAdded() : error;
  });
}

/**
 * Consumes the challenge, whatever the result. `isKnown`: a passkey with this id exists, or the id is a decoy, which an
 * earlier response presented as an existing passkey. `isUnproven`: the ceremony began while the email was not verified.
 */
async function spend({ db, clock, keyring }: Deps, { user_id }: SessionState, given: GivenCredential) {
  if (!given.challenge) throw invalid('has no client data with a challenge');
  const challenge = openChallenge(keyring, given.challenge, clock.now());
  if (!challenge) throw beginAgain();
  const { unused, passkey } = await spendChallenge(db, challenge, given.id, { counters: [], now: clock.now() });
  if (!unused || challenge.kind === 'login' || challenge.subject !== user_id) throw beginAgain();
  return {
    isKnown: passkey !== undefined || (given.id !== undefined && isDecoy(keyring, given.id)),
    isUnproven: challenge.kind === 'register_unproven',
  };
}

type NamedPasskey = NewPasskey & { readonly name: string; readonly transports: string[] };

interface Addition {
  readonly passkey: NamedPasskey;
  readonly isUnproven: boolean;
}

function store(deps: Deps, caller: Caller, session: SessionState, { passkey, isUnproven }: Addition): Promise<Passkey> {
  const { user_id, session_id } = session;
  const id = uuid();
  const now = deps.clock.now();
  return transact(deps.db, async (tx) => {
    // Locks the user's row first: a concurrent reset or MFA activation either commits first and is seen, or waits.
    const user = await lockActiveUser(tx, user_id);
    const current = user && (await findSessionForFreshAuth(tx, { session_id, user_id }, now));
    if (!current) throw notSignedIn();
    if (isUnproven && user.email_verified_at !== null) throw beginAgain();
    requireFreshAuth(deps, { ...session, ...current }, { mfa_enabled: user.mfa_enabled_at !== null });
    if ((await countPasskeys(tx, user_id)) >= LIMITS.passkey.perUser) throw tooManyPasskeys();
    const rp_id = deps.config.PASSKEY_RP_ID;
    const row = await insertPasskey(tx, { ...passkey, id, user_id, rp_id, created_at: now });
    await rememberOwnCredential(tx, session_id, id);
    await recordAudit(tx, caller, {
      action: 'passkey.added',
      now,
      resource_type: 'passkey',
      resource_id: id,
      metadata: {},
    });
    await notifyWithinLimit(tx, deps, user, { template: 'passkey_added', params: { name: passkey.name } });
    return describePasskey({ ...row, rp_id, usable: true });
  });
}

const invalid = (message: string) => new ServiceError('invalid_input', `credential: ${message}`);

const beginAgain = () => invalid('does not match a pending challenge of yours; start again');

const alreadyAdded = () => new ServiceError('conflict', 'this passkey is already added');
