import { DENIED } from './messages.ts';
import type { Quirks } from './types.ts';

/** The tenant of all personal accounts. */
export const PERSONAL_TENANT = '9188040d-6c67-4c5b-b112-36a304b66dad';
export const WORK_TENANT = '72f988bf-86f1-41af-91ab-2d7cd011db47';

export const microsoftQuirks: Quirks = {
  scopes: { required: ['openid', 'email'], optional: ['profile'] },
  denial: { ...DENIED, error_subcode: 'cancel' },
  subject: 'AAAAAAAAAAAAAAAAAAAAAIkzqFVrSaSaFHy782bbtaQ',
  companions: () => ({ session_state: '5b2c3a1e-0000-4000-8000-000000000000' }),
  claims: ({ subject, email, name, tenant: tid = WORK_TENANT, xms_edov }, iat) => ({
    tid,
    ver: '2.0',
    oid: `oid-${subject}`,
    preferred_username: email ?? '',
    nbf: iat,
    ...(email !== null && { email }),
    ...(name !== null && { name }),
    ...(xms_edov !== undefined && { xms_edov }),
  }),
};

/** Returns a tenant that matches the configured one; the service rejects users of other tenants. */
export function usualTenant(tenant: string): string {
  if (tenant === 'consumers') return PERSONAL_TENANT;
  return tenant === 'common' || tenant === 'organizations' ? WORK_TENANT : tenant;
}
