import { type Finding, failed, ok, warning } from './finding.ts';

const CHECK = 'node';
/** The minimum of `engines` in package.json. */
const MIN_VERSION = { major: 20, minor: 20 };
const END_OF_LIFE = 20;
const FIX = 'Install an LTS version, 24 or later, and start the service with it.';

/** Warns about a Node version without security fixes, because an identity service is exposed to the internet. */
export function examineNode(version: string): Finding {
  const [major = 0, minor = 0] = version.replace(/^v/, '').split('.').map(Number);
  if (major < MIN_VERSION.major || (major === MIN_VERSION.major && minor < MIN_VERSION.minor)) {
    return failed(CHECK, `${version} is too old: ${MIN_VERSION.major}.${MIN_VERSION.minor} or later is required`, FIX);
  }
  if (major === END_OF_LIFE) {
    return warning(CHECK, `${version}: Node 20 reached its end of life in April 2026 and gets no security fixes`, FIX);
  }
  // Odd versions are supported for only half a year.
  if (major % 2 === 1) return warning(CHECK, `${version}: not an LTS version`, FIX);
  return ok(CHECK, version);
}
