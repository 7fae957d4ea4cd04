import { createCall, type Transport } from './call.ts';
import { accountCalls, identityCalls, mfaCalls, passkeyCalls } from './calls/account.ts';
import { operationCalls } from './calls/operations.ts';
import { invitationCalls, memberCalls } from './calls/organization.ts';
import { auditCalls, flagCalls, organizationCalls, overviewCalls, providerCalls, userCalls } from './calls/platform.ts';
import { sessionCalls, trustedBrowserCalls } from './calls/session.ts';
import { signInCalls } from './calls/sign-in.ts';
import { createRefresh } from './refresh.ts';

export * from './gatehouse-error.ts';

export interface ClientOptions {
  /** The address of the API with its prefix: `https://id.example.com/v1`, or `/v1` on the service's own pages. */
  readonly base: string;
  readonly fetch?: typeof fetch;
}

/**
 * Every endpoint as a typed call. In a browser the session lives in cookies, and is renewed when its access token has ended.
 *
 * @example
 * const client = createClient({ base: '/v1' });
 * const answer = await client.signIn.withPassword({ email, password });
 * if (answer.status === 'mfa_required') await client.signIn.challenge({ mfa_token: answer.mfa_token, code });
 * const { user } = await client.session.current();
 */
export function createClient({ base, fetch = globalThis.fetch.bind(globalThis) }: ClientOptions) {
  let shown: string | undefined;
  const transport: Transport = { base, fetch, person: () => shown };
  const refresh = createRefresh(transport);
  const call = createCall(transport, refresh);
  return {
    /**
     * Whose page this is, said once. From then on a write is refused with `csrf_failed` while somebody else is signed in: cookies are the browser's, and
     * another window may have changed them.
     */
    showPerson: (user_id: string): void => {
      shown ??= user_id;
    },
    signIn: signInCalls(call),
    session: sessionCalls(call),
    trustedBrowsers: trustedBrowserCalls(call),
    account: accountCalls(call),
    mfa: mfaCalls(call),
    passkeys: passkeyCalls(call),
    identities: identityCalls(call),
    members: memberCalls(call),
    invitations: invitationCalls(call),
    overview: overviewCalls(call),
    operations: operationCalls(transport),
    organizations: organizationCalls(call),
    users: userCalls(call),
    providers: providerCalls(call),
    flags: flagCalls(call),
    audit: auditCalls(call, base),
  };
}

export type Client = ReturnType<typeof createClient>;
