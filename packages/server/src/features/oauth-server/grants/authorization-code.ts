import { createHash } from 'node:crypto';
import type { TokenResponse } from '@gatehouse/contract';
import { v4 as randomUuid } from 'uuid';
import type { ApplicationRow } from '../../../domain/applications/queries.ts';
import { auditRow, recordAudit } from '../../../domain/audit/record.ts';
import type { Deps } from '../../../domain/context.ts';
import type { Caller } from '../../../domain/kernel/caller.ts';
import { TokenFailure } from '../../../domain/kernel/token-failure.ts';
import { endGrants } from '../../../domain/oauth-server/grants/end.ts';
import { findCode } from '../../../domain/oauth-server/grants/queries.ts';
import { useCode } from '../../../domain/oauth-server/grants/redeem/queries.ts';
import { hashToken } from '../../../platform/crypto/tokens.ts';
import { commitAndFail, retry, transact } from '../../../platform/db/transact.ts';
import type { TokenGrant, TokenRequest } from '../token-grant.ts';
import { admitApplication } from './application.ts';
import { endOf, invalidGrant, lifetimes, required, requirePolicy, respond } from './grant-response.ts';

/**
 * docs/reference/oauth-server.md#codes-and-refresh-tokens, `grant_type=authorization_code`: consumes the code in one
 * statement (RFC 6749, section 4.1.3; RFC 7636).
 */
async function exchangeCode(deps: Deps, caller: Caller, request: TokenRequest): Promise<TokenResponse> {
  const { form } = request;
  const application = await admitApplication(deps, caller, request);
  const now = deps.clock.now();
  const hash = hashToken(required(form, 'code'));
  const redirect_uri = required(form, 'redirect_uri');
  const verifier = required(form, 'code_verifier');
  const resource = form.get('resource') ?? null;
  const { id: application_id, client_id } = application;
  const refresh_jti = randomUuid();
  const audit = auditRow(caller, {
    action: 'oauth.token.issued',
    now,
    resource_type: 'application_grant',
    resource_id: '',
    actor_id: application_id,
    metadata: { client_id },
  });
  const code_challenge = createHash('sha256').update(verifier).digest('base64url');
  const code_hash = `\\x${hash.toString('hex')}`;
  const use = { application_id, code_hash, redirect_uri, code_challenge, resource, refresh_jti, now };
  const isWellFormed = /^[\w.~-]{43,128}$/.test(verifier);
  const grant = isWellFormed
    ? await retry(() => useCode(deps.db, { ...audit, ...use, ...lifetimes(deps) }))
    : undefined;
  if (!grant) return rejectCode(deps, caller, { application, code_hash: hash, resource });
  await requirePolicy(deps, caller, application, grant);
  return respond(deps, application, grant, {
    now,
    ends: endOf(grant.offline ? grant : { ...grant, expires_at: grant.session_ends }),
    jti: grant.offline ? refresh_jti : undefined,
    nonce: grant.nonce,
  });
}

interface RejectedCode {
  readonly application: ApplicationRow;
  readonly code_hash: Buffer;
  readonly resource: string | null;
}

/** A code that its own client uses again may have been stolen: everything issued for it ends. */
function rejectCode(deps: Deps, caller: Caller, { application, code_hash, resource }: RejectedCode): Promise<never> {
  const now = deps.clock.now();
  return transact(deps.db, async (tx) => {
    const grant = await findCode(tx, { application_id: application.id, code_hash });
    if (grant && grant.code_used_at === null && resource !== null && grant.resource !== resource) {
      throw new TokenFailure('invalid_target', 'resource: must be the one of the authorization request');
    }
    if (grant && grant.code_used_at !== null && (await endGrants(tx, deps, { id: grant.id }, now)) > 0) {
      await recordAudit(tx, caller, {
        action: 'oauth.code.reused',
        now,
        resource_type: 'application_grant',
        resource_id: grant.id,
        organization_id: grant.organization_id,
        actor_id: null,
        outcome: 'failure',
        metadata: { client_id: application.client_id },
      });
    }
    return commitAndFail(invalidGrant('the code is not valid for this request'));
  });
}

export const authorizationCode: TokenGrant = {
  grant_type: 'authorization_code',
  clients: 'application',
  handle: exchangeCode,
};
