import type { Identity, MfaRequired, OAuthProvider } from '@gatehouse/contract';
import type { Caller, Deps } from '../../domain/context.ts';
import type { SignedIn } from '../../domain/sign-in/complete.ts';
import { insertFailure } from '../../domain/sign-in/queries.ts';
import { secondsUntil } from '../../platform/limiter/limiter.ts';
import type { Counter } from '../../platform/limiter/queries.ts';
import { endpointsOf } from './endpoints.ts';
import { type ExternalIdentity, nameOf } from './external-identity.ts';
import { causeOf, Failed, failureRow } from './failure.ts';
import { type OpenedFlow, openFlow } from './flow.ts';
import { identify } from './identify.ts';
import { linkIdentity } from './link.ts';
import { spendState } from './queries.ts';
import { signIn } from './sign-in.ts';

/** What a browser comes back with. */
export interface Return {
  readonly provider: OAuthProvider;
  readonly query: Readonly<Record<string, unknown>>;
  /** The cookie that the flow was begun with. */
  readonly browser: string | undefined;
  /** Who is signed in to it. */
  readonly user_id: string | undefined;
}

type Result = SignedIn | MfaRequired | { readonly status: 'linked'; readonly identity: Identity };

export interface Ended {
  readonly redirect_to: string;
  readonly result: Result | Failed;
}

/**
 * GET /auth/oauth/:provider/callback: code and state → session, half a sign-in, or a linked identity. The state is spent first,
 * whatever comes of it. What answers no flow of ours in this browser leaves no row: anybody can make up as many as they like.
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
  const counters = [deps.limiter.counter('oauth', caller.network, deps.config.LIMIT_OAUTH_PER_ADDRESS)];
  try {
    return { redirect_to, result: await finish(deps, caller, { flow, given, counters }) };
  } catch (error) {
    if (!(error instanceof Failed)) throw error;
    await tellOf(deps, caller, { flow, counters, failed: error });
    return { redirect_to, result: error };
  }
}

interface Attempt {
  readonly flow: OpenedFlow;
  readonly given: Return;
  readonly counters: readonly Counter[];
}

async function finish(deps: Deps, caller: Caller, { flow, given, counters }: Attempt): Promise<Result> {
  const now = deps.clock.now();
  const { unused, full_until } = await spendState(deps.db, flow, { counters, now });
  // A flood of attempts that fail must not become one of questions to the provider.
  if (full_until) throw new Failed('rate_limited', {}, { retryAfter: secondsUntil(full_until, now) });
  if (!unused || !isReturnOf(deps, flow, given)) throw new Failed('invalid_state');
  const external = await askProvider(deps, flow, given);
  if (!flow.linking) return signIn(deps, caller, external);
  return { status: 'linked', identity: await linkIdentity(deps, caller, flow.linking, external) };
}

/** From the provider it went to, as far as that says who it is; and to the person who began it. */
function isReturnOf({ config }: Deps, flow: OpenedFlow, { provider, query, user_id }: Return): boolean {
  const { iss } = query;
  const isNamed = provider === 'oauth_a' || provider === 'oauth_d';
  if (isNamed && iss !== undefined && iss !== endpointsOf(config, provider).issuer) return false;
  if (flow.linking && user_id !== undefined && user_id !== flow.linking.user_id) return false;
  return flow.provider === provider;
}

const DENIALS = new Set(['access_denied', 'user_cancelled_authorize', 'user_denied']);
const MAX_CODE = 4096;

async function askProvider(deps: Deps, flow: OpenedFlow, { provider, query }: Return): Promise<ExternalIdentity> {
  const { error, code } = query;
  if (error !== undefined) throw new Failed(DENIALS.has(String(error)) ? 'access_denied' : 'provider_error');
  const { settings } = deps.providers.find(provider);
  if (!settings || typeof code !== 'string' || code === '' || code.length > MAX_CODE)
    throw new Failed('provider_error');
  try {
    const external = await identify(deps, flow, settings, code);
    return { ...external, name: external.name ?? appleName(provider, query.user) };
  } catch (failure) {
    deps.log.warn({ provider, cause: causeOf(failure) }, 'a provider did not answer as agreed');
    throw new Failed('provider_error');
  }
}

/** Apple tells the name once, beside the token and through the browser: good enough to be greeted by, and for nothing else. */
function appleName(provider: OAuthProvider, user: unknown): string | null {
  if (provider !== 'oauth_d' || typeof user !== 'string') return null;
  try {
    const { name } = JSON.parse(user) as { name?: { firstName?: unknown; lastName?: unknown } };
    return nameOf([name?.firstName, name?.lastName].filter((part) => typeof part === 'string').join(' '));
  } catch {
    return null;
  }
}

interface Failure {
  readonly flow: OpenedFlow;
  readonly counters: readonly Counter[];
  readonly failed: Failed;
}

/** Counted and told of in one statement; over the limit it is not even told of. */
async function tellOf(deps: Deps, caller: Caller, { flow, counters, failed }: Failure): Promise<void> {
  if (failed.failure === 'rate_limited') return;
  const { provider, linking } = flow;
  const row = failureRow(deps, caller, { provider, linking: linking !== undefined, failed });
  await insertFailure(deps.db, counters, row, deps.clock.now());
}
