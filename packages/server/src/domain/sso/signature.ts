import type { JSONWebKeySet } from 'jose';
import type { Deps } from '../context.ts';
import type { ProviderMetadata } from './metadata.ts';
import { SsoProviderError } from './provider-error.ts';

/** For an unknown key the key set is read again, because the key may be new, but at most once in this time. */
const RELOAD_SECONDS = 10;

/** Throws unless a key of the provider signed the token, although TLS protects it. Loads the library on first use. */
export async function verifySignature(
  { sso }: Pick<Deps, 'sso'>,
  { jwks_uri, algorithms }: ProviderMetadata,
  id_token: string,
): Promise<void> {
  const jose = await import('jose');
  const verify = async (options?: { maxAgeSeconds: number }) => {
    const keys = jose.createLocalJWKSet(await readKeys(sso, jwks_uri, options));
    await jose.compactVerify(id_token, keys, { algorithms: [...algorithms] });
  };
  try {
    await verify().catch((error: unknown) => {
      if (!(error instanceof jose.errors.JWKSNoMatchingKey)) throw error;
      return verify({ maxAgeSeconds: RELOAD_SECONDS });
    });
  } catch (error) {
    throw error instanceof SsoProviderError ? error : new SsoProviderError('signature');
  }
}

async function readKeys(
  sso: Deps['sso'],
  jwks_uri: string,
  options: { maxAgeSeconds: number } | undefined,
): Promise<JSONWebKeySet> {
  const { keys } = await sso.document(jwks_uri, options).catch((error: unknown) => {
    throw error instanceof SsoProviderError && error.cause === 'metadata' ? new SsoProviderError('keys') : error;
  });
  if (!Array.isArray(keys)) throw new SsoProviderError('keys');
  const published = keys.filter((key) => typeof key === 'object' && key !== null && key.kty !== 'oct');
  return { keys: published } as JSONWebKeySet;
}
