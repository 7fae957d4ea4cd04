import type { Deps } from '../../domain/context.ts';
import { ServiceError } from '../../domain/kernel/service-error.ts';
import { adapterOf } from '../../domain/sso/adapters.ts';
import { findConnection } from '../../domain/sso/connection.ts';
import type { SsoFlow } from '../../domain/sso/flow.ts';
import { SsoProviderError } from '../../domain/sso/provider-error.ts';
import { Failed } from '../../domain/upstream/failure.ts';
import { sealFlow } from '../../domain/upstream/flow.ts';

interface Start {
  readonly connection_id: string;
  readonly redirect_to: string;
  readonly login_hint: unknown;
  readonly locale: string | null;
  /** Value of the flow cookie. */
  readonly browser: string;
}

const MAX_HINT_CHARS = 320;

export const noSuchConnection = () => new ServiceError('not_found', 'there is no such connection, or it is not active');

/** GET /auth/sso/:connection_id/start: returns the URL of the provider, or the failure to show. */
export async function start(
  deps: Deps,
  { connection_id, redirect_to, login_hint, locale, browser }: Start,
): Promise<string | Failed> {
  const connection = await findConnection(deps, connection_id);
  if (!connection?.active) throw noSuchConnection();
  const flow: SsoFlow = { connection_id, settings_id: connection.settings_id, redirect_to, locale };
  try {
    return await adapterOf(connection).start(deps, connection, {
      ...sealFlow(deps.keyring, 'sso-flow', flow, browser, deps.clock.now()),
      login_hint: typeof login_hint === 'string' && login_hint.length <= MAX_HINT_CHARS ? login_hint : undefined,
    });
  } catch (error) {
    if (!(error instanceof SsoProviderError)) throw error;
    deps.log.warn({ connection_id, cause: error.cause }, 'a single sign-on could not start');
    return new Failed('provider_error');
  }
}
