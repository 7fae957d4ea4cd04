import type { Deps } from '../context.ts';
import { SsoProviderError } from './provider-error.ts';

export interface ProviderMetadata {
  readonly authorization_endpoint: string;
  readonly token_endpoint: string;
  readonly jwks_uri: string;
  readonly userinfo_endpoint: string | undefined;
  /** The algorithms that both the provider names and this service accepts. */
  readonly algorithms: readonly string[];
  /** Undefined if the provider names none: the default is then `client_secret_basic`. */
  readonly client_methods: readonly string[] | undefined;
  /** RFC 9207: the provider always sends `iss` to the callback. */
  readonly sends_iss: boolean;
}

/** Only asymmetric algorithms: an HS256 token could be signed with the client secret or with a published key. */
const ALGORITHMS: ReadonlySet<unknown> = new Set([
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
]);

const metadataUrl = (issuer: string): string => `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;

/** Reads and checks the metadata of an issuer. Throws an `SsoProviderError`. */
export async function readMetadata(
  { sso, config }: Pick<Deps, 'sso' | 'config'>,
  issuer: string,
): Promise<ProviderMetadata> {
  const found = await sso.document(metadataUrl(issuer));
  if (found.issuer !== issuer) throw new SsoProviderError('issuer_mismatch');
  const endpoint = (value: unknown): string | undefined => {
    if (typeof value !== 'string' || !URL.canParse(value)) return undefined;
    const { protocol, username, password } = new URL(value);
    if (protocol === 'http:' && config.PRIVATE_NETWORKS !== 'allow') throw new SsoProviderError('insecure');
    return /^https?:$/.test(protocol) && username === '' && password === '' ? value : undefined;
  };
  const [authorization_endpoint, token_endpoint, jwks_uri] = [
    endpoint(found.authorization_endpoint),
    endpoint(found.token_endpoint),
    endpoint(found.jwks_uri),
  ];
  if (!authorization_endpoint || !token_endpoint || !jwks_uri) throw new SsoProviderError('endpoints');
  const { id_token_signing_alg_values_supported: algorithms = ['RS256'] } = found;
  const { token_endpoint_auth_methods_supported: methods } = found;
  return {
    authorization_endpoint,
    token_endpoint,
    jwks_uri,
    userinfo_endpoint: endpoint(found.userinfo_endpoint),
    algorithms: texts(algorithms).filter((name) => ALGORITHMS.has(name)),
    client_methods: Array.isArray(methods) ? texts(methods) : undefined,
    sends_iss: found.authorization_response_iss_parameter_supported === true,
  };
}

export const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((entry): entry is string => typeof entry === 'string') : [];
