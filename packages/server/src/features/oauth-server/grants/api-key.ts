import { LIMITS, type TokenResponse } from '@gatehouse/contract';
import { v7 as uuid } from 'uuid';
import type { KeyRefusal } from '../../../domain/audit/events.ts';
import type { Deps } from '../../../domain/context.ts';
import type { Caller } from '../../../domain/kernel/caller.ts';
import type { KeyState } from '../../../domain/kernel/machine.ts';
import { isProductPermission } from '../../../domain/kernel/permissions.ts';
import { invalidClient, TokenFailure } from '../../../domain/kernel/token-failure.ts';
import { isRightSecret, refusalOf, reportRefusal } from '../../../domain/machines/authenticate.ts';
import { type KeyParts, parseKey, publicIdIn } from '../../../domain/machines/key-format.ts';
import { machineOf } from '../../../domain/machines/machine.ts';
import { permsClaim } from '../../../domain/sessions/access-token.ts';
import { after, seconds } from '../../../platform/clock.ts';
import type { Verdict } from '../../../platform/limiter/limiter.ts';
import type { TokenGrant, TokenRequest } from '../token-grant.ts';

const limited = (retryAfter: number) =>
  new TokenFailure('temporarily_unavailable', 'too many requests; try again later', { retryAfter });

/** docs/reference/machines.md#use: exchanges a key for an access token of at most 300 seconds. */
export const keyExchange: TokenGrant = {
  grant_type: 'client_credentials',
  clients: 'machine',
  async handle(deps, caller, { client, form, page_origin }) {
    const public_id = publicIdIn(client.client_id);
    if (public_id === undefined) throw invalidClient();
    const key = client.client_secret === undefined ? undefined : parseKey(client.client_secret);
    const counter = deps.limiter.counter('failed key exchanges', public_id, deps.config.LIMIT_KEY_FAILURES);
    // Checked without the database, so that a mistyped key costs no query.
    if (key?.public_id !== public_id) throw rejection(deps.limiter.hitHere(counter));
    const { state, refusal } = await authenticate(deps, caller, key, page_origin);
    // An unknown key does not write a counter row.
    if (!state) throw rejection(deps.limiter.hitHere(counter));
    if (refusal) {
      const error = rejection(await deps.limiter.hit(counter));
      reportRefusal(deps, caller, state, refusal);
      throw error;
    }
    const quota = deps.config.LIMIT_KEY_EXCHANGES;
    const verdict = await deps.limiter.hit(deps.limiter.counter('key exchanges', state.key_id, quota));
    if (!verdict.allowed) throw limited(verdict.retryAfter);
    deps.machines.note(state);
    return issue(deps, state, form.get('scope'));
  },
};

interface Checked {
  /** Undefined: there is no such key. */
  readonly state?: KeyState | undefined;
  /** Why a known key is rejected. */
  readonly refusal?: KeyRefusal | undefined;
}

async function authenticate(
  deps: Deps,
  caller: Caller,
  key: KeyParts,
  page_origin: TokenRequest['page_origin'],
): Promise<Checked> {
  const state = await deps.machines.findByPublicId(key.public_id);
  const isRight = isRightSecret(state, key);
  if (!state) return {};
  return { state, refusal: isRight ? refusalOf(deps, state, { caller, page_origin }) : 'secret' };
}

/** Failures have their own counter, so that wrong keys never block the correct key. */
const rejection = ({ allowed, retryAfter }: Verdict): TokenFailure => (allowed ? invalidClient() : limited(retryAfter));

async function issue(deps: Deps, state: KeyState, requested: string | undefined): Promise<TokenResponse> {
  const now = deps.clock.now();
  const { permissions: allowed } = machineOf(state, null);
  const scope = requested === undefined ? allowed : narrowed(requested, allowed);
  const claim = scope.join(' ');
  const isLong = claim.length > LIMITS.machine.scopeClaimBytes;
  if (isLong && requested !== undefined)
    throw new TokenFailure('invalid_scope', 'scope: is too long; request fewer permissions');
  const latest = after(now, LIMITS.machine.tokenLifetime);
  const ends = state.ends_at !== null && state.ends_at < latest ? state.ends_at : latest;
  const { access_token, expires_in } = await deps.accessTokens.issue(
    {
      sub: state.service_account_id,
      org: state.organization_id,
      jti: uuid(),
      sid: state.sid,
      aal: 'aal1',
      auth_time: seconds(now),
      auth_method: 'api_key',
      role: 'machine',
      // A token without `scope` has the permissions of its key. A requested `scope` that is too long is rejected above.
      ...(!isLong && { scope: claim }),
      ...permsClaim(scope.filter(isProductPermission)),
      perms_at: state.perms_at,
    },
    { now, session_ends: ends },
  );
  // The key expires within this second.
  if (expires_in <= 0) throw invalidClient();
  return { access_token, token_type: 'Bearer', expires_in, scope: claim };
}

/** Returns the requested scopes, sorted and unique. Throws `invalid_scope` if the key does not have one of them. */
function narrowed(requested: string, allowed: readonly string[]): string[] {
  const names = [...new Set(requested.split(' ').filter((name) => name !== ''))].sort();
  if (names.length === 0 || names.some((name) => !allowed.includes(name))) {
    throw new TokenFailure('invalid_scope', 'scope: contains a permission that this key does not have');
  }
  return names;
}
