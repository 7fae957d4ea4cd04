import { type Call, createCall } from './call.ts';
import { accountCalls, connectedApplicationCalls, identityCalls, mfaCalls, passkeyCalls } from './calls/account.ts';
import { domainCalls } from './calls/domains.ts';
import { apiKeyCalls, serviceAccountCalls } from './calls/machine.ts';
import { operationCalls } from './calls/operations.ts';
import { invitationCalls, memberCalls, ownOrganizationCalls, roleCalls } from './calls/organization.ts';
import {
  applicationCalls,
  auditCalls,
  flagCalls,
  globalRoleCalls,
  organizationCalls,
  overviewCalls,
  permissionCalls,
  providerCalls,
  userCalls,
} from './calls/platform.ts';
import { sessionCalls, trustedBrowserCalls } from './calls/session.ts';
import { interactionCalls, signInCalls } from './calls/sign-in.ts';
import { ssoConnectionCalls } from './calls/sso.ts';
import { eventCalls, platformEventCalls, platformWebhookCalls, webhookCalls } from './calls/webhooks.ts';
import type { CookieJar } from './cookie-jar.ts';
import { requireSameUser } from './credentials/access.ts';
import { browserGlobals } from './credentials/browser-globals.ts';
import { credentialStoreFor } from './credentials/choose.ts';
import type { SignedInAs } from './credentials/store.ts';
import { notSignedInError } from './gatehouse-error.ts';
import { hostedPages } from './hosted-pages.ts';
import { createOwnApiFetch, type OwnApiFetch } from './own-api.ts';
import { createRefresh } from './refresh.ts';
import type { Transport } from './transport.ts';

/** The address of the service, and where the session is stored. */
export interface ClientOptions {
  /** The address of the API with its prefix: `https://id.example.com/v1`, or `/v1` on the service's own pages. */
  readonly base: string;
  readonly fetch?: typeof fetch;
  /**
   * In a program that signs in itself: stores the session, so that it can outlive the process. See {@link
   * createCookieJar}.
   */
  readonly jar?: CookieJar | undefined;
  /** In a program that acts on behalf of its caller: the caller's access token. The client cannot renew it. */
  readonly access_token?: string | undefined;
}

/** All calls, grouped by topic. */
export interface Calls {
  /** For users who are not signed in yet. */
  readonly signIn: ReturnType<typeof signInCalls>;
  /** For the pages on which users decide about the authorization request of an application. */
  readonly interactions: ReturnType<typeof interactionCalls>;
  readonly session: ReturnType<typeof sessionCalls>;
  readonly trustedBrowsers: ReturnType<typeof trustedBrowserCalls>;
  /** Profile, password, email and avatar of the signed-in user. */
  readonly account: ReturnType<typeof accountCalls>;
  readonly mfa: ReturnType<typeof mfaCalls>;
  readonly passkeys: ReturnType<typeof passkeyCalls>;
  /** Linked third-party accounts. */
  readonly identities: ReturnType<typeof identityCalls>;
  /** Applications that may act for the signed-in user. */
  readonly connectedApplications: ReturnType<typeof connectedApplicationCalls>;
  /** The organization of the session: name, slug, policy and audit events. */
  readonly organization: ReturnType<typeof ownOrganizationCalls>;
  /** Members of the organization of the session. */
  readonly members: ReturnType<typeof memberCalls>;
  readonly invitations: ReturnType<typeof invitationCalls>;
  /** Roles that members of the organization can have besides owner, admin or member. */
  readonly roles: ReturnType<typeof roleCalls>;
  /** Accounts of programs in the organization of the session. */
  readonly serviceAccounts: ReturnType<typeof serviceAccountCalls>;
  /** The keys with which service accounts sign in. */
  readonly apiKeys: ReturnType<typeof apiKeyCalls>;
  /** Domains of the organization. A verified domain proves that its email addresses belong to the organization. */
  readonly domains: ReturnType<typeof domainCalls>;
  /** Requests that the service sends when something happens in the organization. */
  readonly webhooks: ReturnType<typeof webhookCalls>;
  /** Connections for single sign-on with the organization's OpenID Connect provider. */
  readonly ssoConnections: ReturnType<typeof ssoConnectionCalls>;
  /** What happens in the organization, to be read page by page. */
  readonly events: ReturnType<typeof eventCalls>;
  /** Requires a platform role; so do most of the following groups. */
  readonly overview: ReturnType<typeof overviewCalls>;
  readonly operations: ReturnType<typeof operationCalls>;
  readonly organizations: ReturnType<typeof organizationCalls>;
  readonly users: ReturnType<typeof userCalls>;
  /** Permissions of the product behind the service. */
  readonly permissions: ReturnType<typeof permissionCalls>;
  /** Roles that every organization can assign. */
  readonly globalRoles: ReturnType<typeof globalRoleCalls>;
  /** Other software that signs users in with this service. */
  readonly applications: ReturnType<typeof applicationCalls>;
  readonly providers: ReturnType<typeof providerCalls>;
  readonly flags: ReturnType<typeof flagCalls>;
  readonly audit: ReturnType<typeof auditCalls>;
  /** Requests that the service sends to its operator, about every organization. */
  readonly platformWebhooks: ReturnType<typeof platformWebhookCalls>;
  /** What happens in all organizations, to be read page by page. */
  readonly platformEvents: ReturnType<typeof platformEventCalls>;
}

/** See {@link createClient}. */
export interface Client extends Calls {
  /**
   * Returns the same calls, which `signal` aborts:
   * `client.with({ signal: AbortSignal.timeout(5_000) }).session.current()`.
   */
  with(options: { readonly signal?: AbortSignal | undefined }): Calls;
  /**
   * Sends a request to your own API, with the access token: `await client.fetch('https://api.example.com/notes')`. If
   * the API responds 401 because the token has expired, or is stale since roles have changed, refreshes the session
   * once and repeats the request once; other responses are returned as they are. Rejects with `signed_out` if the
   * session has ended, and as `fetch` does if the API cannot be reached. Never use it for an address that is not yours:
   * a server that receives the token can act as the user.
   */
  readonly fetch: OwnApiFetch;
  /**
   * Returns a valid access token for your own API, for requests that `fetch` cannot send, such as a WebSocket. If the
   * API rejects it, pass it once as `refused` to get another one. Throws on the service's own pages, where the token is
   * in a cookie that scripts cannot read.
   */
  accessToken(options?: { readonly refused?: string | undefined }): Promise<string>;
  /**
   * Binds the client to the user, and the organization, that the page shows; only the first call counts. From then on
   * writes and `accessToken` fail with `csrf_failed` while another user, or the same user in another organization, is
   * signed in: all windows share the browser's cookies, so another window may have changed them. Then reload the page.
   * On the service's own pages the organization is not compared, because the path of a call names it.
   */
  bindUser(user_id: string, organization_id?: string): void;
  /** URLs of the service's hosted pages. */
  readonly pages: ReturnType<typeof hostedPages>;
}

/**
 * Creates a client with a typed call for every endpoint. It renews the session automatically and stores it according to
 * where it runs: in cookies on the service's own pages; in memory, renewed with a cookie, on another host name of the
 * same site; in a cookie jar in a program. A call that fails rejects with a {@link GatehouseError}.
 *
 * @example
 * ```ts
 * import { createClient } from '@gatehouse/client';
 *
 * const client = createClient({ base: 'http://localhost:8080/v1' });
 * const password = 'correct horse battery staple';
 * const answer = await client.signIn.withPassword({ email: 'ada@example.com', password });
 * if (answer.status === 'mfa_required') {
 *   await client.signIn.challenge({ mfa_token: answer.mfa_token, code: '042137' });
 * }
 * const { user } = await client.session.current();
 * console.log(user.email);
 * ```
 */
export function createClient(options: ClientOptions): Client {
  const { fetch = globalThis.fetch.bind(globalThis) } = options;
  const base = checkedBase(options.base);
  let bound: SignedInAs | undefined;
  const store = credentialStoreFor({ ...options, base });
  const transport: Transport = { base, fetch, store, user: () => bound };
  const refresh = createRefresh(transport);
  const call = createCall(transport, refresh);
  const accessToken: Client['accessToken'] = async ({ refused } = {}) => {
    if (!store.accessToken) throw new TypeError("the service's own pages have no access token that a script can read");
    const current = store.accessToken();
    if (current === undefined || current === refused) await refresh(current);
    const token = store.accessToken();
    if (token !== undefined && token !== refused) {
      requireSameUser(token, bound);
      return token;
    }
    throw notSignedInError();
  };
  const renew = async (): Promise<void> => {
    if (!(await refresh(store.version()))) throw notSignedInError();
  };
  return {
    ...callsBy(call, transport, renew),
    with: ({ signal }) =>
      callsBy(
        (method, path, ask) => call(method, path, { signal, ...ask }),
        { ...transport, fetch: (address, init) => fetch(address, { ...(signal && { signal }), ...init }) },
        renew,
      ),
    fetch: createOwnApiFetch(transport, accessToken),
    accessToken,
    bindUser: (user_id, organization_id) => {
      bound ??= { user_id, organization_id };
    },
    pages: hostedPages(base),
  };
}

/** Throws for an invalid `base`, which would otherwise make every call fail as `unreachable`. */
function checkedBase(base: unknown): string {
  const text = typeof base === 'string' ? base.replace(/\/+$/, '') : '';
  const isPath = /^\/[^/]/.test(text);
  const isAddress = /^https?:\/\/[^/]/i.test(text);
  // A relative address is resolved against the address of the page, so it is valid only in a page.
  if (isAddress || (browserGlobals.document && (isPath || /^\/\/[^/]/.test(text)))) return text;
  const wanted = browserGlobals.document ? 'or a path on this page’s origin, such as /v1' : 'with its prefix';
  throw new TypeError(`base: must be the address of the API, such as https://id.example.com/v1, ${wanted}`);
}

function callsBy(call: Call, transport: Transport, renew: () => Promise<void>): Calls {
  return {
    signIn: signInCalls(call),
    interactions: interactionCalls(call),
    session: sessionCalls(call, renew),
    trustedBrowsers: trustedBrowserCalls(call),
    account: accountCalls(call),
    mfa: mfaCalls(call),
    passkeys: passkeyCalls(call),
    identities: identityCalls(call),
    connectedApplications: connectedApplicationCalls(call),
    organization: ownOrganizationCalls(call),
    members: memberCalls(call),
    invitations: invitationCalls(call),
    roles: roleCalls(call),
    serviceAccounts: serviceAccountCalls(call),
    apiKeys: apiKeyCalls(call),
    domains: domainCalls(call),
    webhooks: webhookCalls(call),
    ssoConnections: ssoConnectionCalls(call),
    events: eventCalls(call),
    overview: overviewCalls(call),
    operations: operationCalls(transport),
    organizations: organizationCalls(call),
    users: userCalls(call),
    permissions: permissionCalls(call),
    globalRoles: globalRoleCalls(call),
    applications: applicationCalls(call),
    providers: providerCalls(call),
    flags: flagCalls(call),
    audit: auditCalls(call, transport.base),
    platformWebhooks: platformWebhookCalls(call),
    platformEvents: platformEventCalls(call),
  };
}
