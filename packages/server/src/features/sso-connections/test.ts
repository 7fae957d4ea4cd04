import type { SsoTestStart } from '@gatehouse/contract';
import { recordAudit } from '../../domain/audit/record.ts';
import { transactAs } from '../../domain/authorization/transact-as.ts';
import type { Deps } from '../../domain/context.ts';
import type { Caller } from '../../domain/kernel/caller.ts';
import { ServiceError, tooMany } from '../../domain/kernel/service-error.ts';
import { adapterOf } from '../../domain/sso/adapters.ts';
import { ssoCallbackUrl } from '../../domain/sso/callback-url.ts';
import { type UsableConnection, usable } from '../../domain/sso/connection.ts';
import type { SsoFlow } from '../../domain/sso/flow.ts';
import { withoutCache } from '../../domain/sso/http.ts';
import { probeAuthorization } from '../../domain/sso/probe.ts';
import { type SsoCause, SsoProviderError, sentenceOf } from '../../domain/sso/provider-error.ts';
import { updateTested } from '../../domain/sso/queries.ts';
import { testPage } from '../../domain/sso/test-round.ts';
import { sealFlow } from '../../domain/upstream/flow.ts';
import { aboutConnection } from './describe.ts';
import { findListed } from './list.ts';
import { lockPolicy, sessionOf } from './required-sign-on.ts';

/**
 * POST …/:id/test: → 200 with the authorization URL of the provider. The test ends at the callback of the connection,
 * in the browser that has this flow cookie; see `finishTest`. If the metadata cannot be read, the test has failed: 409.
 */
export async function startTest(deps: Deps, caller: Caller, id: string, browser: string): Promise<SsoTestStart> {
  const { organization_id, user_id, session_id } = sessionOf(caller);
  const connection = usable(await findListed(deps.db, { id, organization_id }));
  await countTest(deps, organization_id);
  const { settings_id } = connection;
  const flow: SsoFlow = {
    connection_id: id,
    settings_id,
    redirect_to: testPage(id),
    test: { user_id, session_id },
  };
  const request = sealFlow(deps.keyring, 'sso-flow', flow, browser, deps.clock.now());
  try {
    const authorization_url = await adapterOf(connection).start(withoutCache(deps), connection, request);
    const cause = await probeAuthorization(deps, authorization_url);
    // The probe's fault is only a hint: the test continues, and its result at the callback replaces this one.
    if (cause !== undefined) await storeFailed(deps, caller, connection, cause);
    return { authorization_url };
  } catch (error) {
    if (!(error instanceof SsoProviderError)) throw error;
    throw new ServiceError('conflict', await storeFailed(deps, caller, connection, error.cause));
  }
}

/** Limits the tests, because each sends requests to an address that the owner has chosen. */
async function countTest({ limiter, config }: Deps, organization_id: string): Promise<void> {
  const counter = limiter.counter('sso tests', organization_id, config.LIMIT_SSO_TESTS);
  const { allowed, retryAfter } = await limiter.hit(counter);
  if (!allowed) throw tooMany(retryAfter);
}

/** Stores the failed test. Returns the stored description of the fault. */
async function storeFailed(deps: Deps, caller: Caller, connection: UsableConnection, cause: SsoCause): Promise<string> {
  const { id } = connection;
  const now = deps.clock.now();
  const detail = sentenceOf(cause, ssoCallbackUrl(deps.config, id));
  await transactAs({ deps, caller }, { locks: (tx) => lockPolicy(tx, sessionOf(caller)) }, async (tx) => {
    if (!(await updateTested(tx, { id, settings: connection, ok: false, detail, now }))) return;
    const metadata = { ok: false, cause };
    await recordAudit(tx, caller, { action: 'sso.connection.tested', now, ...aboutConnection(connection), metadata });
  });
  return detail;
}
