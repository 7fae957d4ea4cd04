import { type Identity, PROVIDER_NAMES } from '@gatehouse/contract';
import { v7 as uuid } from 'uuid';
import type { AuditInsert } from '../../domain/audit/queries.ts';
import { auditRow } from '../../domain/audit/record.ts';
import type { Deps } from '../../domain/context.ts';
import type { Caller } from '../../domain/kernel/caller.ts';
import type { ExternalIdentity } from '../../domain/provider-settings/external-identity.ts';
import type { IdentityRow } from '../../domain/upstream/queries.ts';

interface Linking {
  readonly user_id: string;
  readonly external: ExternalIdentity;
  readonly now: Date;
}

/** A new identity row. Linking counts as its first use. */
export const identityRow = ({ user_id, external, now }: Linking) => {
  const { provider, issuer, subject, email } = external;
  return { id: uuid(), user_id, provider, issuer, subject, email, linked_at: now, last_used_at: now, revoked_at: null };
};

interface Linked {
  readonly user_id: string;
  readonly organization_id: string;
  readonly identity_id: string;
  readonly external: ExternalIdentity;
}

export const linkedRow = (deps: Deps, caller: Caller, linked: Linked): AuditInsert =>
  auditRow(caller, {
    action: 'auth.oauth.linked',
    now: deps.clock.now(),
    resource_type: 'identity',
    resource_id: linked.identity_id,
    actor_id: linked.user_id,
    organization_id: linked.organization_id,
    metadata: { provider: linked.external.provider },
  });

export const linkedNotice = ({ provider }: ExternalIdentity) =>
  ({ template: 'identity_linked', params: { provider: PROVIDER_NAMES[provider] } }) as const;

export const describeIdentity = ({ linked_at, last_used_at, ...row }: IdentityRow): Identity => ({
  ...row,
  linked_at: linked_at.toISOString(),
  last_used_at: last_used_at?.toISOString() ?? null,
});
