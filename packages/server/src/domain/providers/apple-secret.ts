import { createPrivateKey, type KeyObject, sign } from 'node:crypto';
import { seconds } from '../../platform/clock.ts';
import type { ProviderSettings } from './resolve.ts';

/** Who Apple is to those it issues tokens to. */
export const APPLE = 'https://appleid.apple.com';

/** Seconds: it is made for one exchange. */
const LIFETIME = 300;

interface Claims {
  readonly audience: string;
  readonly now: Date;
}

/** §2.6: Apple takes a short-lived ES256 JWT in place of a client secret. Undefined: the key is not one that can make it. */
export function mintAppleSecret(settings: ProviderSettings, { audience, now }: Claims): string | undefined {
  const { client_id, team_id, key_id } = settings.public_config;
  const key = readKey(settings.secret);
  if (typeof key === 'string') return undefined;
  const iat = seconds(now);
  const header = encode({ alg: 'ES256', kid: key_id });
  const claims = encode({ iss: team_id, iat, exp: iat + LIFETIME, aud: audience, sub: client_id });
  const signature = sign('sha256', Buffer.from(`${header}.${claims}`), { key, dsaEncoding: 'ieee-p1363' });
  return `${header}.${claims}.${signature.toString('base64url')}`;
}

const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');

/** No private key that can be read, or one that cannot sign ES256. */
type KeyFault = 'unreadable' | 'wrong_kind';

/** Why no secret can be made with this key, for whoever has to mend it. */
export function faultOfAppleKey(pem: string): KeyFault | undefined {
  const key = readKey(pem);
  return typeof key === 'string' ? key : undefined;
}

/** A PEM that passed through a shell or a JSON file may have `\n` in place of its line breaks. */
function readKey(pem: string): KeyObject | KeyFault {
  try {
    const key = createPrivateKey(pem.trim().replaceAll('\\n', '\n'));
    return key.asymmetricKeyDetails?.namedCurve === 'prime256v1' ? key : 'wrong_kind';
  } catch {
    return 'unreadable';
  }
}
