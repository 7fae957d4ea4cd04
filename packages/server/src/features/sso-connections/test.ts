import type { SsoTestStart } from '@gatehouse/contract';
import { recordAudit } from '../../domain/audit/record.ts';
import type { Caller, Deps } from '../../domain/context.ts';
import { ServiceError } from '../../domain/service-error.ts';
import { ssoCallbackUrl } from '../../domain/sso/callback-url.ts';
import { type UsableConnection, usable } from '../../domain/sso/connection.ts';
import { sealSsoFlow } from '../../domain/sso/flow.ts';
import { authorizationUrlAt } from '../../domain/sso/provider.ts';
import { SsoProviderError, sentenceOf } from '../../domain/sso/provider-error.ts';
import { updateTested } from '../../domain/sso/queries.ts';
import { testPage } from '../../domain/sso/test-round.ts';
import { commitAndFail, transact } from '../../platform/db/transact.ts';
import { authorize, sessionOf } from './authorize.ts';
import { aboutConnection } from './describe.ts';
import { findListed } from './list.ts';

/**
 * POST …/:id/test: → 200 with the URL of the provider. The round ends at the callback of the connection, in the browser
 * with this value of the flow cookie; see `finishTest`. Metadata that cannot be read are a failed test: 409.
 */
export async function startTest(deps: Deps, caller: Caller, id: string, browser: string): Promise<SsoTestStart> {
  const { organization_id, user_id, session_id } = sessionOf(caller);
  const connection = usable(await findListed(deps.db, { id, organization_id }));
  const { settings_id } = connection;
  const flow = {
    connection_id: id,
    settings_id,
    redirect_to: testPage(id),
    test: { user_id, session_id },
  };
  const sealed = sealSsoFlow(deps.keyring, flow, browser, deps.clock.now());
  const request = { ...sealed, redirect_uri: ssoCallbackUrl(deps.config, id) };
  try {
    return { authorization_url: await authorizationUrlAt(deps, connection, request) };
  } catch (error) {
    if (!(error instanceof SsoProviderError)) throw error;
    return storeFailed(deps, caller, connection, error);
  }
}

function storeFailed(
  deps: Deps,
  caller: Caller,
  connection: UsableConnection,
  { cause }: SsoProviderError,
): Promise<never> {
  const { id } = connection;
  const now = deps.clock.now();
  const detail = sentenceOf(cause, ssoCallbackUrl(deps.config, id));
  return transact(deps.db, async (tx) => {
    await authorize(tx, deps, sessionOf(caller));
    if (await updateTested(tx, { id, settings: connection, ok: false, detail, now })) {
      const metadata = { ok: false, cause };
      await recordAudit(tx, caller, { action: 'sso.connection.tested', now, ...aboutConnection(connection), metadata });
    }
    return commitAndFail(new ServiceError('conflict', detail));
  });
}
