import { type Finding, failed, ok, warning } from './finding.ts';

const CHECK = 'node';
/** The floor: what package.json asks for. */
const FLOOR = { major: 20, minor: 20 };
const ENDED = 20;
const FIX = 'Install an LTS version, 24 or later, and start the service with it.';

/** The runtime gets no more mends once its line has ended, and an identity service stands in the open. */
export function examineNode(version: string): Finding {
  const [major = 0, minor = 0] = version.replace(/^v/, '').split('.').map(Number);
  if (major < FLOOR.major || (major === FLOOR.major && minor < FLOOR.minor)) {
    return failed(CHECK, `${version} is too old: ${FLOOR.major}.${FLOOR.minor} or later is required`, FIX);
  }
  if (major === ENDED) {
    return warning(CHECK, `${version}: Node 20 reached its end of life in April 2026 and gets no security fixes`, FIX);
  }
  // Lines with an odd number are supported for half a year, and never for long.
  if (major % 2 === 1) return warning(CHECK, `${version}: not an LTS version`, FIX);
  return ok(CHECK, version);
}
