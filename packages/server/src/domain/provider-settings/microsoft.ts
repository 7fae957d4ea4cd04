import { PROVIDER_TABLE, TEXT_FORMATS } from '@gatehouse/contract';
import type { OAuthProviderDefinition } from './definition.ts';
import { ProviderFailure } from './external-identity.ts';
import type { ProviderSettings } from './resolve.ts';

const DEFAULT_TENANT = 'common';
const TENANTS = [DEFAULT_TENANT, 'organizations', 'consumers'];

/** Values of `xms_edov` for an email that the owner of the domain has verified. The type differs between tenants. */
const EDOV: ReadonlySet<unknown> = new Set([true, 'true', 1, '1']);

export const microsoft = {
  ...PROVIDER_TABLE.microsoft,
  endpoints: {
    issuer: 'https://login.microsoftonline.com/{tenantid}/v2.0',
    authorization: 'https://login.microsoftonline.com/{tenant}/oauth2/v2.0/authorize',
    token: 'https://login.microsoftonline.com/{tenant}/oauth2/v2.0/token',
    jwks: 'https://login.microsoftonline.com/{tenant}/discovery/v2.0/keys',
  },
  authorization: { scope: 'openid email profile', response_mode: 'query' },
  defaults: { tenant: DEFAULT_TENANT },
  rules: {
    tenant: {
      isValid: (value) => TENANTS.includes(value.trim()) || TEXT_FORMATS.uuid(value.trim()),
      message: `must be ${TENANTS.join(', ')} or the GUID of a tenant`,
      // A GUID is compared with the claim `tid`, which is in lower case.
      normalize: (value) => value.toLowerCase(),
    },
  },
  issuerOf,
  isEmailVerified: ({ xms_edov }) => EDOV.has(xms_edov),
} as const satisfies OAuthProviderDefinition;

/** The tenant of all personal accounts. */
const PERSONAL = '9188040d-6c67-4c5b-b112-36a304b66dad';
const GUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Returns the issuer of the tenant in the token. Throws if the configured tenant does not admit that tenant. */
async function issuerOf(issuer: string, { public_config }: ProviderSettings, response: Response): Promise<string> {
  const claims = await unverifiedClaims(response);
  if (!claims || !admits(public_config.tenant ?? DEFAULT_TENANT, claims.tid)) throw new ProviderFailure('tenant');
  return issuerOfTenant(issuer, claims);
}

export function admits(tenant: string, tid: string): boolean {
  if (!GUID.test(tid)) return false;
  if (tenant === 'common') return true;
  if (tenant === 'organizations') return tid !== PERSONAL;
  return tid === (tenant === 'consumers' ? PERSONAL : tenant.toLowerCase());
}

interface TenantClaims {
  readonly tid: string;
  readonly iss: unknown;
}

/** An issuer without `{tenantid}` was set by the operator: it is the exact issuer, or the base of Microsoft's paths. */
function issuerOfTenant(issuer: string, { tid, iss }: TenantClaims): string {
  if (issuer.includes('{tenantid}')) return issuer.replaceAll('{tenantid}', tid);
  const base = issuer.replace(/\/((common|organizations|consumers)\/v2\.0)?$/, '');
  return iss === issuer ? issuer : `${base}/${tid}/v2.0`;
}

/** Reads the id_token before it is verified. Returns undefined if it cannot be parsed. */
async function unverifiedClaims(response: Response): Promise<TenantClaims | undefined> {
  try {
    const { id_token } = (await response.clone().json()) as { id_token: string };
    const { tid, iss } = JSON.parse(Buffer.from(id_token.split('.')[1]!, 'base64url').toString('utf8'));
    return typeof tid === 'string' ? { tid, iss } : undefined;
  } catch {
    return undefined;
  }
}
