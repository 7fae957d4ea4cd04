import type { MfaRequired, SsoTestResult } from '@gatehouse/contract';
import { auditRow } from '../../domain/audit/record.ts';
import type { Deps } from '../../domain/context.ts';
import type { Caller } from '../../domain/kernel/caller.ts';
import type { SignedIn } from '../../domain/sign-in/complete.ts';
import { adapterOf } from '../../domain/sso/adapters.ts';
import { findConnection } from '../../domain/sso/connection.ts';
import type { SsoFlow } from '../../domain/sso/flow.ts';
import { finishTest } from '../../domain/sso/test-round.ts';
import type { ResponseParameters } from '../../domain/upstream/adapter.ts';
import { Failed, failureBase } from '../../domain/upstream/failure.ts';
import { type OpenedFlow, openFlow } from '../../domain/upstream/flow.ts';
import { spendState } from '../../domain/upstream/queries.ts';
import { completeRoundTrip, type Ended, withoutFlow } from '../../domain/upstream/round-trip.ts';
import { signIn } from './sign-in.ts';
import { noSuchConnection } from './start.ts';

interface CallbackRequest {
  readonly connection_id: string;
  /** The state that the provider sent back. */
  readonly state: unknown;
  readonly response: ResponseParameters;
  /** Value of the flow cookie. */
  readonly browser: string | undefined;
}

type Result = Ended<SignedIn | MfaRequired>;

interface Tested {
  readonly redirect_to: string;
  readonly tested: SsoTestResult;
}

/** The response of a provider → session or pending sign-in, or the result of a test. */
export async function callback(deps: Deps, caller: Caller, given: CallbackRequest): Promise<Result | Tested> {
  const { connection_id, state, response, browser } = given;
  const flow = openFlow<SsoFlow>(deps.keyring, 'sso-flow', state, browser, deps.clock.now());
  if (flow?.test && flow.connection_id === connection_id) return endTest(deps, caller, flow, response);
  const connection = await findConnection(deps, connection_id);
  if (!connection?.active) throw noSuchConnection();
  if (!flow) return withoutFlow();
  const { locale = null } = flow;
  // A state of another connection, or of settings from before a change, is rejected.
  const isOwn = flow.connection_id === connection.id && flow.settings_id === connection.settings_id && !flow.test;
  return completeRoundTrip(deps, caller, {
    flow,
    request: isOwn ? adapterOf(connection).identify(deps, connection, flow, response) : new Failed('invalid_state'),
    finish: (claims) => signIn(deps, caller, connection, { claims, locale }),
    // Per connection, so that a provider that is down does not block the users of another one.
    limit: `sso ${connection_id}`,
    log: { what: 'a single sign-on', fields: { connection_id } },
    auditRow: (failed) =>
      auditRow(caller, {
        ...failureBase(failed, 'identity_in_use', deps.clock.now()),
        action: 'auth.sso.refused',
        organization_id: connection.organization_id,
        metadata: { connection_id, reason: failed.failure },
      }),
  });
}

async function endTest(
  deps: Deps,
  caller: Caller,
  flow: OpenedFlow<SsoFlow>,
  response: ResponseParameters,
): Promise<Result | Tested> {
  const { redirect_to } = flow;
  const { unused } = await spendState(deps.db, flow, undefined, deps.clock.now());
  if (!unused) return { redirect_to, result: new Failed('invalid_state') };
  return { redirect_to, tested: await finishTest(deps, caller, flow, response) };
}
