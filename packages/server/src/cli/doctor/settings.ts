import type { Config } from '../../platform/config/settings.ts';
import { type Finding, warning } from './finding.ts';

/** Where client secrets, keys and tokens are sent to, or what they are judged by. */
const TRUSTED = /^(EMAIL_API_BASE_URL|OAUTH_[A-E]_(ISSUER|AUTHORIZATION_URL|TOKEN_URL|USERINFO_URL|JWKS_URL))$/;
const LOOPBACK = /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/;

/** Addresses of third parties that leave this machine unencrypted. */
export function examineAddresses(config: Config): Finding[] {
  return Object.entries(config)
    .filter(([name, value]) => TRUSTED.test(name) && typeof value === 'string' && leavesInTheClear(value))
    .map(([name]) =>
      warning(name, 'is plain http: whoever is in between reads secrets and forges answers', 'Use https.'),
    );
}

function leavesInTheClear(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  return protocol === 'http:' && !LOOPBACK.test(hostname);
}
