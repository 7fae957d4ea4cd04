import type { Identity, MfaRequired, OAuthProvider } from '@gatehouse/contract';
import type { Deps } from '../../domain/context.ts';
import type { Caller } from '../../domain/kernel/caller.ts';
import { isOpenId } from '../../domain/provider-settings/definition.ts';
import { endpointsOf } from '../../domain/provider-settings/endpoints.ts';
import type { ExternalIdentity } from '../../domain/provider-settings/external-identity.ts';
import { definitionOf } from '../../domain/provider-settings/list.ts';
import type { ProviderSettings } from '../../domain/provider-settings/resolve.ts';
import type { SignedIn } from '../../domain/sign-in/complete.ts';
import { askOnce } from '../../domain/upstream/ask-once.ts';
import { causeOf, Failed, failureRow, isCode, refusedBy } from '../../domain/upstream/failure.ts';
import { insertLimitedFailure } from '../../domain/upstream/queries.ts';
import type { Counter } from '../../platform/limiter/queries.ts';
import { type OpenedFlow, openFlow } from './flow.ts';
import { identify } from './identify.ts';
import { linkIdentity } from './link.ts';
import { signIn } from './sign-in.ts';

interface Return {
  readonly provider: OAuthProvider;
  readonly query: Readonly<Record<string, unknown>>;
  /** Value of the flow cookie. */
  readonly browser: string | undefined;
  /** The user who is signed in to this browser. */
  readonly user_id: string | undefined;
}

type Result = SignedIn | MfaRequired | { readonly status: 'linked'; readonly identity: Identity };

interface Ended {
  readonly redirect_to: string;
  readonly result: Result | Failed;
}

/**
 * GET /auth/oauth/:provider/callback: code and state → session, pending sign-in, or linked identity. Consumes the state
 * whatever the result. A state of another browser is not audited: a client can invent any number of states.
 */
export async function callback(deps: Deps, caller: Caller, given: Return): Promise<Ended> {
  const { state } = given.query;
  const { browser } = given;
  const flow =
    typeof state === 'string' && browser !== undefined
      ? openFlow(deps.keyring, state, browser, deps.clock.now())
      : undefined;
  if (!flow) return { redirect_to: '/', result: new Failed('invalid_state') };
  const { redirect_to } = flow;
  try {
    return { redirect_to, result: await finish(deps, caller, flow, given) };
  } catch (error) {
    if (!(error instanceof Failed)) throw error;
    await logFailed(deps, caller, flow, error);
    return { redirect_to, result: error };
  }
}

async function finish(deps: Deps, caller: Caller, flow: OpenedFlow, given: Return): Promise<Result> {
  const request = providerRequestOf(deps, flow, given);
  const external = await askOnce(deps, {
    flow,
    counter: limitOf(deps, caller, 'asked'),
    ask: request instanceof Failed ? request : () => askProvider(deps, flow, request),
  });
  if (!flow.linking) return signIn(deps, caller, external, flow);
  return { status: 'linked', identity: await linkIdentity(deps, caller, flow.linking, external) };
}

/**
 * 'asked' limits failed requests to a provider per client network, so that a flood is not passed on; 'audited' limits
 * audited failures. Separate, so that failures which cost the provider nothing do not block sign-in.
 */
const limitOf = ({ limiter, config }: Deps, { network }: Caller, what: 'asked' | 'audited'): Counter =>
  limiter.counter(`oauth ${what}`, network, config.LIMIT_OAUTH_PER_ADDRESS);

interface ProviderRequest {
  readonly settings: ProviderSettings;
  readonly code: string;
  /** The callback parameter `user`, which Apple sends. */
  readonly user: unknown;
}

/** Returns the request for the provider, or why none can be made. */
function providerRequestOf(deps: Deps, flow: OpenedFlow, given: Return): ProviderRequest | Failed {
  const { error, code, user } = given.query;
  if (!isReturnOf(deps, flow, given)) return new Failed('invalid_state');
  if (error !== undefined) return refusedBy(error);
  const { settings } = deps.providers.find(flow.provider);
  if (!settings) return new Failed('provider_error', {}, { cause: 'not_configured' });
  if (isCode(code)) return { settings, code, user };
  return new Failed('provider_error', {}, { cause: 'no_code' });
}

/** Whether provider, issuer (if sent) and, when linking, the signed-in user are those of the flow. */
function isReturnOf({ config }: Deps, flow: OpenedFlow, { provider, query, user_id }: Return): boolean {
  const { iss } = query;
  const definition = definitionOf(provider);
  // RFC 9207: `iss` is checked only if the issuer is known before the token response.
  const hasFixedIssuer = isOpenId(definition) && !definition.issuerOf;
  if (hasFixedIssuer && iss !== undefined && iss !== endpointsOf(config, definition).issuer) return false;
  if (flow.linking && user_id !== undefined && user_id !== flow.linking.user_id) return false;
  return flow.provider === provider;
}

async function askProvider(
  deps: Deps,
  flow: OpenedFlow,
  { settings, code, user }: ProviderRequest,
): Promise<ExternalIdentity> {
  try {
    const external = await identify(deps, flow, settings, code);
    return { ...external, name: external.name ?? definitionOf(flow.provider).nameInCallback?.(user) ?? null };
  } catch (failure) {
    throw new Failed('provider_error', {}, { cause: causeOf(failure) });
  }
}

/** Audits the failure, up to the limit, and logs causes that an operator can fix. */
async function logFailed(deps: Deps, caller: Caller, { provider, linking }: OpenedFlow, failed: Failed): Promise<void> {
  const { request_id } = caller;
  const { reason: cause } = failed;
  if (cause !== undefined) deps.log.warn({ provider, cause, request_id }, 'a third-party sign-in failed');
  if (failed.failure === 'rate_limited' || failed.audited) return;
  const row = failureRow(deps, caller, { provider, linking: linking !== undefined, failed });
  await insertLimitedFailure(deps.db, limitOf(deps, caller, 'audited'), row, deps.clock.now());
}
