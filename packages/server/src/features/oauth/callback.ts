import type { Identity, MfaRequired, OAuthProvider } from '@gatehouse/contract';
import type { Caller, Deps } from '../../domain/context.ts';
import { insertLimitedFailure, spendState } from '../../domain/identities/queries.ts';
import { isOpenId } from '../../domain/providers/definition.ts';
import { endpointsOf } from '../../domain/providers/endpoints.ts';
import type { ExternalIdentity } from '../../domain/providers/external-identity.ts';
import { definitionOf } from '../../domain/providers/list.ts';
import type { ProviderSettings } from '../../domain/providers/resolve.ts';
import type { SignedIn } from '../../domain/sign-in/complete.ts';
import { secondsUntil } from '../../platform/limiter/limiter.ts';
import { type Counter, uncount } from '../../platform/limiter/queries.ts';
import { causeOf, Failed, failureRow, knownError } from './failure.ts';
import { type OpenedFlow, openFlow } from './flow.ts';
import { identify } from './identify.ts';
import { linkIdentity } from './link.ts';
import { signIn } from './sign-in.ts';

/** What a browser comes back with. */
interface Return {
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
  try {
    return { redirect_to, result: await finish(deps, caller, flow, given) };
  } catch (error) {
    if (!(error instanceof Failed)) throw error;
    await tellOf(deps, caller, flow, error);
    return { redirect_to, result: error };
  }
}

async function finish(deps: Deps, caller: Caller, flow: OpenedFlow, given: Return): Promise<Result> {
  const question = questionOf(deps, flow, given);
  const external = await askInTurn(deps, caller, flow, question);
  if (!flow.linking) return signIn(deps, caller, external, flow.organization_id);
  return { status: 'linked', identity: await linkIdentity(deps, caller, flow.linking, external) };
}

/** The state is spent, and the question counted before it is asked; one that was not in vain, or not asked, is taken back. */
async function askInTurn(
  deps: Deps,
  caller: Caller,
  flow: OpenedFlow,
  question: Question | Failed,
): Promise<ExternalIdentity> {
  const { db, clock } = deps;
  const counter = limitOf(deps, caller, 'asked');
  const counted = question instanceof Failed ? undefined : counter;
  const { unused, count, resets_at } = await spendState(db, flow, counted, clock.now());
  if (!unused) throw new Failed('invalid_state');
  if (question instanceof Failed) throw question;
  const isOver = (count ?? 0) > counter.quota.count;
  const external = isOver ? undefined : await askProvider(deps, flow, question);
  await uncount(db, counter, resets_at!);
  if (!external) throw new Failed('rate_limited', {}, { retryAfter: secondsUntil(resets_at!, clock.now()) });
  return external;
}

/**
 * How often a provider is asked in vain for one address, counted before it is asked: a flood must not become one of questions.
 * And how many failures are told of. Two counts, so that what costs the provider nothing keeps nobody from signing in.
 */
const limitOf = ({ limiter, config }: Deps, { network }: Caller, what: 'asked' | 'told'): Counter =>
  limiter.counter(`oauth ${what}`, network, config.LIMIT_OAUTH_PER_ADDRESS);

interface Question {
  readonly settings: ProviderSettings;
  readonly code: string;
  /** The callback parameter `user`. */
  readonly user: unknown;
}

const DENIALS: ReadonlySet<unknown> = new Set(['access_denied', 'user_cancelled_authorize', 'user_denied']);
const MAX_CODE = 4096;

/** What the provider is to be asked, or why there is nothing to ask. */
function questionOf(deps: Deps, flow: OpenedFlow, given: Return): Question | Failed {
  const { error, code, user } = given.query;
  if (!isReturnOf(deps, flow, given)) return new Failed('invalid_state');
  if (DENIALS.has(error)) return new Failed('access_denied');
  if (error !== undefined) return new Failed('provider_error', {}, { cause: knownError(error) ?? 'refused' });
  const { settings } = deps.providers.find(flow.provider);
  if (!settings) return new Failed('provider_error', {}, { cause: 'not_configured' });
  if (typeof code === 'string' && code !== '' && code.length <= MAX_CODE) return { settings, code, user };
  return new Failed('provider_error', {}, { cause: 'no_code' });
}

/** From the provider it went to, as far as that says who it is; and to the person who began it. */
function isReturnOf({ config }: Deps, flow: OpenedFlow, { provider, query, user_id }: Return): boolean {
  const { iss } = query;
  const definition = definitionOf(provider);
  // RFC 9207: checked only if the issuer is known before the token response.
  const hasFixedIssuer = isOpenId(definition) && !definition.issuerOf;
  if (hasFixedIssuer && iss !== undefined && iss !== endpointsOf(config, definition).issuer) return false;
  if (flow.linking && user_id !== undefined && user_id !== flow.linking.user_id) return false;
  return flow.provider === provider;
}

async function askProvider(
  deps: Deps,
  flow: OpenedFlow,
  { settings, code, user }: Question,
): Promise<ExternalIdentity> {
  try {
    const external = await identify(deps, flow, settings, code);
    return { ...external, name: external.name ?? definitionOf(flow.provider).nameInCallback?.(user) ?? null };
  } catch (failure) {
    throw new Failed('provider_error', {}, { cause: causeOf(failure) });
  }
}

/** Counted and told of in one statement; over the limit it is not told of any more. What an operator can mend is logged. */
async function tellOf(deps: Deps, caller: Caller, { provider, linking }: OpenedFlow, failed: Failed): Promise<void> {
  const { request_id } = caller;
  const { reason: cause } = failed;
  if (cause !== undefined) deps.log.warn({ provider, cause, request_id }, 'a third-party sign-in failed');
  if (failed.failure === 'rate_limited') return;
  const row = failureRow(deps, caller, { provider, linking: linking !== undefined, failed });
  await insertLimitedFailure(deps.db, limitOf(deps, caller, 'told'), row, deps.clock.now());
}
