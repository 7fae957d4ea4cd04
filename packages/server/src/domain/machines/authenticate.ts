import { equalBytes } from '../../platform/crypto/tokens.ts';
import { transact } from '../../platform/db/transact.ts';
import { isInNetwork, parseAddress, parseNetwork } from '../../platform/networks.ts';
import type { KeyRefusal } from '../audit/events.ts';
import { recordAudit } from '../audit/record.ts';
import type { Deps } from '../context.ts';
import type { Caller } from '../kernel/caller.ts';
import type { KeyState } from '../kernel/machine.ts';
import { hashSecret, type KeyParts } from './key-format.ts';

interface Origin {
  readonly caller: Caller;
  /** The origin of the page that sent the request, by `Origin` or else by `Referer`. */
  readonly page_origin: string | null;
}

const NO_HASH = Buffer.alloc(32);

/** Whether the secret part is right. Takes the same time if there is no such key. */
export function isRightSecret(state: KeyState | undefined, given: KeyParts): boolean {
  const isEqual = equalBytes(hashSecret(given), state?.secret_hash ?? NO_HASH);
  return isEqual && state !== undefined;
}

/** Returns why the key, or an access token issued for it, is rejected, or undefined if it is accepted. */
export function refusalOf({ clock }: Deps, state: KeyState, { caller, page_origin }: Origin): KeyRefusal | undefined {
  if (state.revoked_at !== null || (state.ends_at !== null && state.ends_at <= clock.now())) return 'ended';
  if (state.disabled_at !== null || state.deleted_at !== null) return 'account';
  if (state.suspended_at !== null) return 'organization';
  if (!isAllowedAddress(state.allowed_ips, caller.ip_address)) return 'address';
  const { allowed_referrers } = state;
  const isAllowedPage = page_origin !== null && allowed_referrers.includes(page_origin);
  return allowed_referrers.length === 0 || isAllowedPage ? undefined : 'referrer';
}

function isAllowedAddress(allowed: readonly string[], ip_address: string | null): boolean {
  if (allowed.length === 0) return true;
  const address = ip_address === null ? undefined : parseAddress(ip_address);
  if (!address) return false;
  return allowed.some((text) => {
    const network = parseNetwork(text);
    return network !== undefined && isInNetwork(address, network);
  });
}

const ONCE_A_MINUTE = { count: 1, window: 60 };

/**
 * Audits that a known key was rejected, at most once a minute per key. Runs after the response, so that the response
 * time does not reveal whether a public id is known. The request has no principal.
 */
export function reportRefusal(deps: Deps, caller: Caller, state: KeyState, reason: KeyRefusal): void {
  deps.machines.report(() =>
    writeRefusal(deps, caller, state, reason).catch((error: unknown) => {
      deps.log.error({ err: error, key_id: state.key_id }, 'the rejection of an API key could not be audited');
    }),
  );
}

async function writeRefusal(deps: Deps, caller: Caller, state: KeyState, reason: KeyRefusal): Promise<void> {
  const { key_id, service_account_id, organization_id } = state;
  const { allowed } = await deps.limiter.hit(deps.limiter.counter('key refusals', key_id, ONCE_A_MINUTE));
  if (!allowed) return;
  await transact(deps.db, (tx) =>
    recordAudit(tx, caller, {
      action: 'api_key.refused',
      now: deps.clock.now(),
      resource_type: 'api_key',
      resource_id: key_id,
      organization_id,
      metadata: { service_account_id, reason },
      outcome: 'failure',
    }),
  );
}
