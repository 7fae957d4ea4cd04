import type { Config } from '../../platform/config/settings.ts';
import { type Finding, ok, skipped, warning } from './finding.ts';
import { isLoopback } from './site.ts';

const CHECK = 'DATABASE_URL';
/** The driver verifies the certificate in all of these modes. */
const VERIFIED = /^(verify-full|verify-ca|require|prefer)$/;

/**
 * Whether the connection to a database on another host is encrypted. `version` is the TLS version of the connection; if
 * it is undefined (unknown), the `sslmode` decides. Not checked for a database on this machine.
 */
export function examineEncryption(
  { DATABASE_URL, DATABASE_POOLER }: Config,
  version: string | null | undefined,
): Finding[] {
  if (DATABASE_URL === undefined) return [];
  const { hostname, searchParams } = new URL(DATABASE_URL);
  const host = searchParams.get('host') ?? decodeURIComponent(hostname);
  if (host === '' || host.startsWith('/') || isLoopback(host)) return [];
  const mode = searchParams.get('sslmode') ?? '';
  // A pooler reports its own connection to the server, not our connection to the pooler.
  const known = DATABASE_POOLER === 'none' ? version : undefined;
  const isEncrypted = known === undefined ? VERIFIED.test(mode) || mode === 'no-verify' : known !== null;
  const full = 'sslmode=verify-full; with a private CA also sslrootcert=<file>. The server needs `ssl = on`.';
  if (!isEncrypted) {
    const detail = `the connection to ${host} is not encrypted: an attacker on the network can read hashes and sessions`;
    return [warning(CHECK, detail, `Append to DATABASE_URL, after ? or &: ${full}`)];
  }
  if (mode === 'no-verify') {
    const detail = `the connection to ${host} is encrypted, but the certificate of the server is not verified`;
    return [warning(CHECK, detail, `Replace no-verify in DATABASE_URL: ${full}`)];
  }
  if (version === undefined && DATABASE_POOLER === 'none') {
    return [skipped(CHECK, `requests encryption for ${host}; there was no connection to verify it`)];
  }
  return [ok(CHECK, `the connection to ${host} is encrypted${known ? ` (${known})` : ''}`)];
}
