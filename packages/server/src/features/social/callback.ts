import { type Identity, type MfaRequired, NIL_UUID, type OAuthProvider } from '@gatehouse/contract';
import { auditRow } from '../../domain/audit/record.ts';
import type { Deps } from '../../domain/context.ts';
import type { Caller } from '../../domain/kernel/caller.ts';
import type { SignedIn } from '../../domain/sign-in/complete.ts';
import type { ResponseParameters } from '../../domain/upstream/adapter.ts';
import { Failed, failureBase } from '../../domain/upstream/failure.ts';
import { openFlow } from '../../domain/upstream/flow.ts';
import { completeRoundTrip, type Ended, withoutFlow } from '../../domain/upstream/round-trip.ts';
import { social, socialConnection } from '../../domain/upstream/social.ts';
import type { SocialFlow } from './flow.ts';
import { linkIdentity } from './link.ts';
import { signIn } from './sign-in.ts';

interface Return {
  readonly provider: OAuthProvider;
  readonly query: ResponseParameters;
  /** Value of the flow cookie. */
  readonly browser: string | undefined;
  /** The user who is signed in to this browser. */
  readonly user_id: string | undefined;
}

type Result = SignedIn | MfaRequired | { readonly status: 'linked'; readonly identity: Identity };

/** GET /auth/oauth/:provider/callback: code and state → session, pending sign-in, or linked identity. */
export async function callback(deps: Deps, caller: Caller, given: Return): Promise<Ended<Result>> {
  const { query, browser, user_id } = given;
  const flow = openFlow<SocialFlow>(deps.keyring, 'oauth-flow', query.state, browser, deps.clock.now());
  if (!flow) return withoutFlow();
  const { provider, linking } = flow;
  const isOwn = given.provider === provider && (!linking || user_id === undefined || user_id === linking.user_id);
  return completeRoundTrip<Result>(deps, caller, {
    flow,
    request: isOwn ? social.identify(deps, socialConnection(deps, provider), flow, query) : new Failed('invalid_state'),
    async finish(claims) {
      const external = { ...claims, provider };
      if (!linking) return signIn(deps, caller, external, flow);
      return { status: 'linked', identity: await linkIdentity(deps, caller, linking, external) };
    },
    limit: 'oauth',
    log: { what: 'a third-party sign-in', fields: { provider } },
    auditRow: (failed) =>
      auditRow(caller, {
        ...failureBase(failed, 'account_exists', deps.clock.now()),
        action: 'auth.oauth.failed',
        organization_id: failed.about.organization_id ?? NIL_UUID,
        metadata: { provider, reason: failed.failure, ...(linking && { linking: true }) },
      }),
  });
}
