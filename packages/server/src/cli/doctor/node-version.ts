import { type Finding, failed, ok, warning } from './finding.ts';

const CHECK = 'node';
/** The floor: what package.json asks for. */
const FLOOR = { major: 20, minor: 20 };
const ENDED = 20;
const FIX = 'Install a version with long-term support, 24 or later, and start the service with it.';

/** The runtime gets no more mends once its line has ended, and an identity service stands in the open. */
export function examineNode(version: string): Finding {
  const [major = 0, minor = 0] = version.replace(/^v/, '').split('.').map(Number);
  if (major < FLOOR.major || (major === FLOOR.major && minor < FLOOR.minor)) {
    return failed(CHECK, `${version} is too old: it takes ${FLOOR.major}.${FLOOR.minor} or later`, FIX);
  }
  if (major === ENDED) {
    return warning(CHECK, `${version}: this line has come to its end in April 2026 and is not mended any more`, FIX);
  }
  // Lines with an odd number are supported for half a year, and never for long.
  if (major % 2 === 1) return warning(CHECK, `${version}: a line without long-term support`, FIX);
  return ok(CHECK, version);
}
