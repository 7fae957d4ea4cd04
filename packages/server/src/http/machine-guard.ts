import type { AccessTokenClaims } from '@gatehouse/contract';
import type { FastifyRequest } from 'fastify';
import type { Deps } from '../domain/context.ts';
import type { KeyState } from '../domain/kernel/machine.ts';
import { notSignedIn } from '../domain/kernel/service-error.ts';
import { isRightSecret, refusalOf, reportRefusal } from '../domain/machines/authenticate.ts';
import { parseKey } from '../domain/machines/key-format.ts';
import { machineOf } from '../domain/machines/machine.ts';
import { callerOf, rememberMachine } from './caller.ts';
import type { Proxies } from './client-address.ts';
import { pageOrigin } from './page-origin.ts';

type Admitted = void | Promise<void>;

const whenFound = <T>(found: T | Promise<T>, use: (state: T) => Admitted): Admitted =>
  found instanceof Promise ? found.then(use) : use(found);

/**
 * docs/reference/machines.md#rejection-and-limits: admits an API key (`Authorization: Bearer gth_…`). Every rejection
 * is the same 401.
 */
export function admitKey(request: FastifyRequest, deps: Deps, proxies: Proxies, text: string): Admitted {
  const key = parseKey(text);
  if (!key) throw notSignedIn();
  return whenFound(deps.machines.findByPublicId(key.public_id), (state) => {
    const isRight = isRightSecret(state, key);
    if (!state) throw notSignedIn();
    if (!isRight) return reject(request, deps, proxies, state, 'secret');
    return admit(request, deps, proxies, { state, scope: null });
  });
}

/** Admits an access token of a key. Disabling the account gives the key a new `sid`, which ends earlier tokens. */
export function admitMachineToken(
  request: FastifyRequest,
  deps: Deps,
  proxies: Proxies,
  { sid, sub, org, scope }: AccessTokenClaims,
): Admitted {
  return whenFound(deps.machines.findBySid(sid), (state) => {
    if (state?.service_account_id !== sub || state.organization_id !== org) throw notSignedIn();
    return admit(request, deps, proxies, { state, scope: scope?.split(' ') ?? null });
  });
}

interface Shown {
  readonly state: KeyState;
  readonly scope: readonly string[] | null;
}

function admit(request: FastifyRequest, deps: Deps, proxies: Proxies, { state, scope }: Shown): Admitted {
  const refusal = refusalOf(deps, state, { caller: callerOf(request, proxies), page_origin: pageOrigin(request) });
  if (refusal) return reject(request, deps, proxies, state, refusal);
  deps.machines.note(state);
  rememberMachine(request, machineOf(state, scope));
}

function reject(
  request: FastifyRequest,
  deps: Deps,
  proxies: Proxies,
  state: KeyState,
  reason: Parameters<typeof reportRefusal>[3],
): never {
  reportRefusal(deps, callerOf(request, proxies), state, reason);
  throw notSignedIn();
}
