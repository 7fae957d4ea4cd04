import type { Config } from '../../platform/config/settings.ts';
import { type Finding, ok, warning } from './finding.ts';
import { areOtherSites, isAddress, isLoopback, leavesInTheClear } from './site.ts';

/** Whether the public address allows browsers to keep the service's cookies. */
export function examineCookies(config: Config): Finding[] {
  const faults = [...examineBase(config), ...examineSecure(config), ...examineOrigins(config)];
  if (faults.length > 0) return faults;
  return [ok('cookies', `${config.SECURE_COOKIES ? 'Secure' : 'not Secure'}, which matches ${config.PUBLIC_BASE_URL}`)];
}

function examineBase({ NODE_ENV, PUBLIC_BASE_URL, HOST }: Config): Finding[] {
  const CHECK = 'PUBLIC_BASE_URL';
  const { hostname } = new URL(PUBLIC_BASE_URL);
  if (NODE_ENV !== 'production') {
    if (isLoopback(hostname) && isLoopback(HOST)) return [];
    const where = isLoopback(hostname) ? `HOST=${HOST}` : PUBLIC_BASE_URL;
    const detail = `is ${NODE_ENV} at ${where}: anyone who reaches it can read every mail at /dev/mail`;
    return [
      warning('NODE_ENV', detail, 'Set NODE_ENV=production, or HOST=127.0.0.1 and a PUBLIC_BASE_URL of localhost.'),
    ];
  }
  const set = 'Set it to the public https address, for example PUBLIC_BASE_URL=https://id.example.com.';
  if (isLoopback(hostname)) {
    return [warning(CHECK, `${PUBLIC_BASE_URL} is this machine: mailed links do not work elsewhere`, set)];
  }
  if (leavesInTheClear(PUBLIC_BASE_URL)) {
    const detail = `${PUBLIC_BASE_URL} is plain http: passwords and cookies are sent unencrypted, and passkeys do not work`;
    return [warning(CHECK, detail, `Put a proxy with https in front of the service. ${set}`)];
  }
  if (isAddress(hostname)) return [warning(CHECK, 'is an IP address: passkeys need a host name', set)];
  return [];
}

function examineSecure({ SECURE_COOKIES, PUBLIC_BASE_URL }: Config): Finding[] {
  const CHECK = 'SECURE_COOKIES';
  const { protocol, hostname } = new URL(PUBLIC_BASE_URL);
  const unset = `Unset it: it then follows PUBLIC_BASE_URL.`;
  if (protocol === 'http:' && SECURE_COOKIES) {
    const who = isLoopback(hostname) ? 'Safari does' : 'browsers do';
    return [
      warning(
        CHECK,
        `is on, but ${PUBLIC_BASE_URL} is http: ${who} not store such cookies, so users are not kept signed in`,
        unset,
      ),
    ];
  }
  if (protocol === 'https:' && !SECURE_COOKIES) {
    return [warning(CHECK, 'is off: a request over http sends the session cookies unencrypted', unset)];
  }
  return [];
}

function examineOrigins({ NODE_ENV, PUBLIC_BASE_URL, CORS_ORIGINS, REDIRECT_ORIGINS }: Config): Finding[] {
  const plain = (name: string, origins: readonly string[]): Finding[] =>
    origins
      .filter((origin) => NODE_ENV === 'production' && leavesInTheClear(origin))
      .map((origin) =>
        warning(
          name,
          `${origin} is plain http: an attacker on the network can act as that page`,
          `Use https in ${name}.`,
        ),
      );
  const foreign = CORS_ORIGINS.filter((origin) => areOtherSites(origin, PUBLIC_BASE_URL)).map((origin) =>
    warning(
      'CORS_ORIGINS',
      `${origin} is on another site than ${PUBLIC_BASE_URL}: browsers send no cookies from there`,
      `Serve both with https on subdomains of one domain, such as https://app.example.com and https://id.example.com. If that page sends a Bearer token, ignore this.`,
    ),
  );
  return [...plain('CORS_ORIGINS', CORS_ORIGINS), ...foreign, ...plain('REDIRECT_ORIGINS', REDIRECT_ORIGINS)];
}
