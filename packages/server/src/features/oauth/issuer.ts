import { ProviderFailure } from './external-identity.ts';

/** The tenant of all personal accounts. */
const PERSONAL = '9188040d-6c67-4c5b-b112-36a304b66dad';
const GUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

interface Tenancy {
  readonly issuer: string;
  readonly tenant: string;
}

/**
 * Who must have issued Microsoft's id_token: that follows from the tenant which the token itself names, and that must be one of
 * those that the configured one stands for.
 */
export async function tenantIssuer({ issuer, tenant }: Tenancy, response: Response): Promise<string> {
  const tid = await tenantIn(response);
  if (!tid || !admits(tenant, tid)) throw new ProviderFailure('tenant');
  return issuerOfTenant(issuer, tid);
}

export function admits(tenant: string, tid: string): boolean {
  if (!GUID.test(tid)) return false;
  if (tenant === 'common') return true;
  if (tenant === 'organizations') return tid !== PERSONAL;
  return tid === (tenant === 'consumers' ? PERSONAL : tenant.toLowerCase());
}

/** An issuer that is only a host has Microsoft's paths below it. */
const issuerOfTenant = (issuer: string, tid: string): string => {
  const template = new URL(issuer).pathname === '/' ? `${new URL(issuer).origin}/{tenantid}/v2.0` : issuer;
  return template.replaceAll('{tenantid}', tid);
};

/** As it stands there, before anything about the token is known to be true. Undefined: it says nothing that can be read. */
async function tenantIn(response: Response): Promise<string | undefined> {
  try {
    const { id_token } = (await response.clone().json()) as { id_token: string };
    const { tid } = JSON.parse(Buffer.from(id_token.split('.')[1]!, 'base64url').toString('utf8'));
    return typeof tid === 'string' ? tid : undefined;
  } catch {
    return undefined;
  }
}
