import { SSO_CAUSES, type SsoTestResult } from '@gatehouse/contract';
import type { Tx } from '../../platform/db/connect.ts';
import { transact } from '../../platform/db/transact.ts';
import { recordAudit } from '../audit/record.ts';
import type { Deps } from '../context.ts';
import type { Caller } from '../kernel/caller.ts';
import { hasPermission } from '../kernel/permissions.ts';
import { findLiveSession } from '../sessions/queries.ts';
import type { ResponseParameters } from '../upstream/adapter.ts';
import { Failed } from '../upstream/failure.ts';
import type { OpenedFlow } from '../upstream/flow.ts';
import { adapterOf } from './adapters.ts';
import { ssoCallbackUrl } from './callback-url.ts';
import { findConnection, type UsableConnection } from './connection.ts';
import type { SsoFlow } from './flow.ts';
import { withoutCache } from './http.ts';
import { type SsoCause, sentenceOf } from './provider-error.ts';
import { updateTested } from './queries.ts';

/** The page of a connection, to which the browser is redirected after a test. */
export const testPage = (connection_id: string): string => `/organization/sso/${connection_id}`;

const PASSED = 'The provider identified you. The connection can be activated.';
const SUPERSEDED =
  'The result was not stored: the connection was changed, or your session ended, during the test. Start the test again.';

/**
 * Completes a test at the callback: stores the result and opens no session. Callers must have opened and consumed the
 * state, and checked that it belongs to the connection in the path.
 */
export async function finishTest(
  deps: Deps,
  caller: Caller,
  flow: OpenedFlow<SsoFlow>,
  response: ResponseParameters,
): Promise<SsoTestResult> {
  const connection = await findConnection(deps, flow.connection_id);
  if (!connection || connection.settings_id !== flow.settings_id || !flow.test)
    return { ok: false, detail: SUPERSEDED };
  const cause = await runTest(deps, connection, flow, response);
  const ok = cause === undefined;
  const detail = ok ? PASSED : sentenceOf(cause, ssoCallbackUrl(deps.config, connection.id));
  const stored = await transact(deps.db, (tx) => store(tx, deps, caller, { flow, connection, ok, detail, cause }));
  return stored ? { ok, detail } : { ok: false, detail: SUPERSEDED };
}

/** Returns the cause of the failure, or undefined if the test passed. */
async function runTest(
  deps: Deps,
  connection: UsableConnection,
  flow: OpenedFlow<SsoFlow>,
  response: ResponseParameters,
): Promise<SsoCause | undefined> {
  const request = adapterOf(connection).identify(withoutCache(deps), connection, flow, response);
  if (request instanceof Failed) return causeOf(request);
  try {
    const { email } = await request();
    return email === null ? 'email' : undefined;
  } catch (failure) {
    if (failure instanceof Failed) return causeOf(failure);
    throw failure;
  }
}

/** The causes for error codes that a provider sends to the callback. */
const CAUSES: Readonly<Record<string, SsoCause>> = {
  invalid_scope: 'scope',
  unauthorized_client: 'client',
  invalid_client: 'client',
};

function causeOf({ failure, reason = '' }: Failed): SsoCause {
  if (failure === 'access_denied') return 'denied';
  // The response names another issuer.
  if (failure === 'invalid_state') return 'issuer_mismatch';
  return Object.hasOwn(SSO_CAUSES, reason) ? (reason as SsoCause) : (CAUSES[reason] ?? 'refused');
}

interface Finished {
  readonly flow: OpenedFlow<SsoFlow>;
  readonly connection: UsableConnection;
  readonly ok: boolean;
  readonly detail: string;
  readonly cause: SsoCause | undefined;
}

/** Returns false if the session that began the test has ended or lost the permission, or the settings have changed. */
async function store(tx: Tx, deps: Deps, caller: Caller, finished: Finished): Promise<boolean> {
  const { flow, connection, ok, detail, cause } = finished;
  const now = deps.clock.now();
  const { id, organization_id } = connection;
  const session = flow.test && (await findLiveSession(tx, flow.test.session_id, now));
  if (session?.organization_id !== organization_id || !hasPermission(session, 'sso.manage')) return false;
  if (!(await updateTested(tx, { id, settings: connection, ok, detail, now }))) return false;
  await recordAudit(tx, caller, {
    action: 'sso.connection.tested',
    now,
    resource_type: 'sso_connection',
    resource_id: id,
    actor_id: session.user_id,
    organization_id,
    metadata: { ok, ...(cause !== undefined && { cause }) },
  });
  return true;
}
