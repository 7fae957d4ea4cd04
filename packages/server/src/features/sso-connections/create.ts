import { LIMITS, type NewSsoConnection, type SsoConnection } from '@gatehouse/contract';
import { v7 as uuid } from 'uuid';
import { recordAudit } from '../../domain/audit/record.ts';
import { distinctIds, lockRoles } from '../../domain/authorization/assign-roles.ts';
import { transactAs } from '../../domain/authorization/transact-as.ts';
import type { Deps } from '../../domain/context.ts';
import type { Caller } from '../../domain/kernel/caller.ts';
import { ServiceError } from '../../domain/kernel/service-error.ts';
import { countConnections, insertConnection, updateConnectionRoles } from '../../domain/sso/queries.ts';
import type { Tx } from '../../platform/db/connect.ts';
import { aboutConnection } from './describe.ts';
import { readConnection } from './list.ts';
import { lockPolicy, sessionOf } from './required-sign-on.ts';
import { checkedIssuer, domainNames, replaceDomains, requireRoles, sealGiven } from './rules.ts';

/** docs/reference/policy-and-sso.md#connections: POST /orgs/:org_id/sso-connections: → 201 connection, a draft. */
export function createConnection(deps: Deps, caller: Caller, input: NewSsoConnection): Promise<SsoConnection> {
  const session = sessionOf(caller);
  const { organization_id } = session;
  const now = deps.clock.now();
  const id = uuid();
  const row = {
    id,
    organization_id,
    name: input.name.trim(),
    issuer: checkedIssuer(deps, input.issuer),
    client_id: input.client_id,
    sealed_secret: sealGiven(deps, id, input.client_secret ?? null),
    create_members: input.create_members ?? false,
    default_role: input.default_role ?? 'member',
    trust_idp_mfa: input.trust_idp_mfa ?? false,
    created_at: now,
  };
  const domains = domainNames(input.domains ?? []);
  const role_ids = distinctIds(input.role_ids ?? []);

  const locks = async (tx: Tx) => {
    await lockRoles(tx, organization_id);
    await lockPolicy(tx, session);
  };
  return transactAs({ deps, caller }, { locks }, async (tx, { member }) => {
    await requireRoles(tx, member, role_ids);
    await insertConnection(tx, row);
    await replaceDomains(tx, row, domains);
    // Counted after the insert, which the check of the domains needs: an invalid domain is 400 also at the limit.
    if ((await countConnections(tx, organization_id)) > LIMITS.sso.perOrganization) {
      throw new ServiceError('conflict', `there are ${LIMITS.sso.perOrganization} connections, which is the maximum`);
    }
    await updateConnectionRoles(tx, id, role_ids);
    const { issuer, client_id } = row;
    const metadata = { issuer, client_id, domains };
    await recordAudit(tx, caller, { action: 'sso.connection.created', now, ...aboutConnection(row), metadata });
    return readConnection(deps, row, tx);
  });
}
