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
  const said = await claimsIn(response);
  if (!said || !admits(tenant, said.tid)) throw new ProviderFailure('tenant');
  return issuerOfTenant(issuer, said);
}

export function admits(tenant: string, tid: string): boolean {
  if (!GUID.test(tid)) return false;
  if (tenant === 'common') return true;
  if (tenant === 'organizations') return tid !== PERSONAL;
  return tid === (tenant === 'consumers' ? PERSONAL : tenant.toLowerCase());
}

interface Said {
  readonly tid: string;
  readonly iss: unknown;
}

/** One without `{tenantid}` is an operator's own: it stands as it is, or has Microsoft's paths below it. */
function issuerOfTenant(issuer: string, { tid, iss }: Said): string {
  if (issuer.includes('{tenantid}')) return issuer.replaceAll('{tenantid}', tid);
  const base = issuer.replace(/\/((common|organizations|consumers)\/v2\.0)?$/, '');
  return iss === issuer ? issuer : `${base}/${tid}/v2.0`;
}

/** As they stand there, before anything about the token is known to be true. Undefined: it says nothing that can be read. */
async function claimsIn(response: Response): Promise<Said | undefined> {
  try {
    const { id_token } = (await response.clone().json()) as { id_token: string };
    const { tid, iss } = JSON.parse(Buffer.from(id_token.split('.')[1]!, 'base64url').toString('utf8'));
    return typeof tid === 'string' ? { tid, iss } : undefined;
  } catch {
    return undefined;
  }
}
