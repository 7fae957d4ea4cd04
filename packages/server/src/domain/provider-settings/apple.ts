import { createPrivateKey, type KeyObject, sign } from 'node:crypto';
import { PROVIDER_TABLE, type ProbeResult } from '@gatehouse/contract';
import { seconds } from '../../platform/clock.ts';
import { nameOf } from '../kernel/claims.ts';
import type { Minting, OAuthProviderDefinition } from './definition.ts';
import { ProviderFailure } from './external-identity.ts';
import type { ProviderSettings } from './resolve.ts';

export const apple = {
  ...PROVIDER_TABLE.apple,
  endpoints: {
    issuer: 'https://appleid.apple.com',
    authorization: 'https://appleid.apple.com/auth/authorize',
    token: 'https://appleid.apple.com/auth/token',
    jwks: 'https://appleid.apple.com/auth/keys',
  },
  // Apple requires `form_post` with these scopes.
  authorization: { scope: 'name email', response_mode: 'form_post' },
  requiresPublicHttps: true,
  clientSecret(settings, minting) {
    const minted = mintClientSecret(settings, minting);
    if ('fault' in minted) throw new ProviderFailure('private_key');
    return minted.secret;
  },
  nameInCallback,
  probe,
} as const satisfies OAuthProviderDefinition;

const LIFETIME_SECONDS = 300;

const KEY_FAULTS = {
  unreadable:
    'the stored secret is not a private key in PEM, or it has a passphrase: save the whole .p8 file, with its first and last line',
  wrong_kind:
    'the stored private key cannot sign ES256, which requires a key on the curve P-256: save the .p8 file of the provider',
} as const;
type KeyFault = keyof typeof KEY_FAULTS;

type Minted = { readonly secret: string } | { readonly fault: KeyFault };

/** §2.6: Apple requires a short-lived ES256 JWT as client secret. */
export function mintClientSecret(settings: ProviderSettings, { issuer, now }: Minting): Minted {
  const { client_id, team_id, key_id } = settings.public_config;
  const key = readKey(settings.secret);
  if (typeof key === 'string') return { fault: key };
  const iat = seconds(now);
  const header = encode({ alg: 'ES256', kid: key_id });
  const claims = encode({ iss: team_id, iat, exp: iat + LIFETIME_SECONDS, aud: issuer, sub: client_id });
  const signature = sign('sha256', Buffer.from(`${header}.${claims}`), { key, dsaEncoding: 'ieee-p1363' });
  return { secret: `${header}.${claims}.${signature.toString('base64url')}` };
}

const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');

/** Accepts `\n` in place of line breaks: secrets copied from shells and JSON files contain it. */
function readKey(pem: string): KeyObject | KeyFault {
  try {
    const key = createPrivateKey(pem.trim().replaceAll('\\n', '\n'));
    return key.asymmetricKeyDetails?.namedCurve === 'prime256v1' ? key : 'wrong_kind';
  } catch {
    return 'unreadable';
  }
}

/** §2.6: mints a client secret with the stored key. */
function probe(settings: ProviderSettings, minting: Minting): ProbeResult {
  const minted = mintClientSecret(settings, minting);
  if ('fault' in minted) return { ok: false, detail: KEY_FAULTS[minted.fault] };
  const detail = 'the stored key can sign a client secret; the provider itself is contacted at the first sign-in';
  return { ok: true, detail };
}

/** Apple sends the name once, outside the signed token and through the browser: use it for display only. */
function nameInCallback(user: unknown): string | null {
  if (typeof user !== 'string') return null;
  try {
    const { name } = JSON.parse(user) as { name?: { firstName?: unknown; lastName?: unknown } };
    return nameOf([name?.firstName, name?.lastName].filter((part) => typeof part === 'string').join(' '));
  } catch {
    return null;
  }
}
