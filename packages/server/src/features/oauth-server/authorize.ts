import type { ApplicationRow } from '../../domain/applications/queries.ts';
import type { Deps } from '../../domain/context.ts';
import type { Caller } from '../../domain/kernel/caller.ts';
import type { SessionState } from '../../domain/kernel/session-state.ts';
import { hashToken } from '../../platform/crypto/tokens.ts';
import { transact } from '../../platform/db/transact.ts';
import { continueRequest } from './continue.ts';
import { evaluate } from './evaluate.ts';
import { AuthorizationFailure, failureUrl, untrusted } from './failure.ts';
import { isRegistered, readRequest, stateOf } from './request.ts';

interface Visit {
  readonly params: URLSearchParams;
  /** The session of the access cookie. */
  readonly session: SessionState | undefined;
  /** The cookie that binds interactions to the browser. */
  readonly browser: string;
  /** A HEAD request: nothing is stored. */
  readonly isProbe: boolean;
}

/** Marks a request that `resume` has redirected back, so that it is not redirected to `resume` again. */
export const RESUMED = 'resumed';

const MAX_PARAMETERS = 50;
const MAX_QUERY = 8_000;

/** GET and POST /oauth/authorize. Throws a `ServiceError`, shown as a page, for an unknown client or redirect URI. */
export async function authorize(
  deps: Deps,
  caller: Caller,
  { params, session, browser, isProbe }: Visit,
): Promise<string> {
  const application = await findClient(deps, params);
  const redirect_uri = redirectUriOf(params, application);
  try {
    const request = readRequest(deps, params, application, redirect_uri);
    const isResumed = params.has(RESUMED);
    if (isProbe && isResumed) return '/sign-in';
    if (isProbe || (!session && !isResumed)) return resumeUrl(deps, params);
    const progress = { requested_at: deps.clock.now(), account_chosen: false, consented: false, organization_id: null };
    const outcome = await evaluate(deps, { application, request, progress, session, ip_address: caller.ip_address });
    const step = { application, request, progress, outcome, browser_hash: hashToken(browser) };
    return await transact(deps.db, (tx) =>
      continueRequest(tx, deps, caller, { ...step, user_id: session?.user_id ?? null }),
    );
  } catch (error) {
    if (!(error instanceof AuthorizationFailure)) throw error;
    return failureUrl(deps.config, { redirect_uri, state: stateOf(params) }, error);
  }
}

/** Below the route prefix, because browsers send the refresh cookie only there. */
const resumeUrl = ({ config }: Deps, params: URLSearchParams): string =>
  `${config.ROUTE_PREFIX}/auth/oauth-interactions/resume?${params}`;

async function findClient(deps: Deps, params: URLSearchParams): Promise<ApplicationRow> {
  // Checked first: parameters that occur several times are counted below.
  if (params.size > MAX_PARAMETERS) throw untrusted(`the request has more than ${MAX_PARAMETERS} parameters`);
  if (params.toString().length > MAX_QUERY) throw untrusted('the request is too long');
  const [client_id, ...others] = params.getAll('client_id');
  const application = client_id && others.length === 0 ? await deps.applications.find(client_id) : undefined;
  if (!application) throw untrusted('client_id: the application is unknown');
  return application;
}

function redirectUriOf(params: URLSearchParams, application: ApplicationRow): string {
  const [redirect_uri, ...others] = params.getAll('redirect_uri');
  if (redirect_uri === undefined || others.length > 0 || !isRegistered(application, redirect_uri)) {
    throw untrusted('redirect_uri: is not registered for this application');
  }
  return redirect_uri;
}
