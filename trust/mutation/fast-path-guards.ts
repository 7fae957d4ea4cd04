import type { Guard } from './guard.ts';

const file = 'http/fast-path.ts';
const sessionFile = 'features/sessions/current-session.ts';
const tests = ['http/fast-path.test.ts'];

/** The conditions under which the fast path passes a request to its ordinary route. */
export const FAST_PATH: readonly Guard[] = [
  { name: 'fast path: only GET', file, find: "request.method === 'GET' ? ", put: "request.method !== '' ? ", tests },
  { name: 'fast path: not while the process shuts down', file, find: ' || lifecycle.leaving', put: '', tests },
  {
    name: 'fast path: not under overload',
    file,
    find: ' || load.overloaded()) return false',
    put: ') return false',
    tests,
  },
  {
    name: 'fast path: not for pipelined requests',
    file,
    find: 'if (response.socket === null) return false;',
    put: 'if (request.socket === null) return false;',
    tests,
  },
  {
    name: 'fast path: not for requests with a body of known length',
    file,
    find: "headers['content-length'] !== undefined || ",
    put: '',
    tests,
  },
  {
    name: 'fast path: not for requests with a chunked body',
    file,
    find: " || headers['transfer-encoding'] !== undefined",
    put: '',
    tests,
  },
  {
    name: 'fast path: not for conditional requests',
    file,
    find: "    if (headers['if-none-match'] !== undefined) return false;\n",
    put: '',
    tests,
  },
  {
    name: 'fast path: not for origins that CORS may allow',
    file,
    find: '    if (hasCors && headers.origin !== undefined) return false;\n',
    put: '',
    tests,
  },
  {
    name: 'fast path: only Bearer, no other scheme',
    file: sessionFile,
    find: 'authorization.startsWith(BEARER) ? authorization.slice(BEARER.length) : undefined',
    put: 'authorization.slice(BEARER.length)',
    tests,
  },
  {
    name: 'fast path: the organization of a token is that of its session',
    file: sessionFile,
    find: ' || source.organization_id !== claims.org',
    put: '',
    tests,
  },
  {
    name: 'fast path: unproven credentials are read for each response',
    file: sessionFile,
    find: '  if (mayBeUnproven(source)) return undefined;\n',
    put: '',
    tests,
  },
  {
    name: 'fast path: a known token is compared as a whole',
    file: 'domain/sessions/access-token.ts',
    find: 'found?.token === token ? currentClaims(found)',
    put: 'found ? currentClaims(found)',
    tests,
  },
];
