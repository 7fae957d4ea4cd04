/**
 * Bytes on a connection, and the statuses of all responses before the connection is closed. There is no response if the
 * fault was found while an earlier response was being prepared, because an error response could be mistaken for the
 * earlier one.
 */
export interface Framing {
  readonly name: string;
  readonly bytes: string;
  readonly statuses: readonly number[];
  /** Whether the client closes its side after sending. */
  readonly leave?: true;
}

/** Node 20 ignores headers after the first thousand; newer versions refuse the request. */
const REFUSES_MANY_HEADERS = Number(process.versions.node.split('.')[0]) >= 24;

/** A request that must never be answered, because it is hidden in the body of another request. */
const HIDDEN = 'GET /healthz?hidden HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
const TARGET = '/v1/auth/login';
const JSON_LINE = 'Content-Type: application/json\r\n';

const post = (headers: string, body = '', path = TARGET): string =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\n${JSON_LINE}${headers}\r\n${body}`;
/** A request that is the last one of its connection. */
const last = (headers: string, body = '', path = TARGET): string => post(`Connection: close\r\n${headers}`, body, path);
const get = (headers: string, line = 'GET /v1/auth/session HTTP/1.1'): string =>
  `${line}\r\nHost: x\r\nConnection: close\r\n${headers}\r\n`;
const chunked = (body: string, headers = ''): string => last(`Transfer-Encoding: chunked\r\n${headers}`, body);

export const SMUGGLED: readonly Framing[] = [
  {
    name: 'a length and chunks',
    bytes: post(`Content-Length: 5\r\nTransfer-Encoding: chunked\r\n`, `0\r\n\r\n${HIDDEN}`),
    statuses: [400],
  },
  {
    name: 'chunks and a length',
    bytes: post(`Transfer-Encoding: chunked\r\nContent-Length: ${HIDDEN.length + 5}\r\n`, `0\r\n\r\n${HIDDEN}`),
    statuses: [400],
  },
  { name: 'two lengths', bytes: post('Content-Length: 0\r\nContent-Length: 60\r\n', HIDDEN), statuses: [400] },
  {
    name: 'one length twice',
    bytes: post('Content-Length: 2\r\nContent-Length: 2\r\n', `{}${HIDDEN}`),
    statuses: [400],
  },
  { name: 'a list of lengths', bytes: post('Content-Length: 2, 2\r\n', `{}${HIDDEN}`), statuses: [400] },
  { name: 'a length with a sign', bytes: post('Content-Length: +2\r\n', `{}${HIDDEN}`), statuses: [400] },
  { name: 'a negative length', bytes: post('Content-Length: -2\r\n', `{}${HIDDEN}`), statuses: [400] },
  { name: 'a length in hex', bytes: post('Content-Length: 0x2\r\n', `{}${HIDDEN}`), statuses: [400] },
  { name: 'a length beyond counting', bytes: post(`Content-Length: ${'9'.repeat(40)}\r\n`, HIDDEN), statuses: [400] },
  { name: 'no length', bytes: post('Content-Length: \r\n', HIDDEN), statuses: [400] },
  {
    name: 'chunks of another kind',
    bytes: post('Transfer-Encoding: xchunked\r\n', `0\r\n\r\n${HIDDEN}`),
    statuses: [],
  },
  {
    name: 'chunks, then as they are',
    bytes: post('Transfer-Encoding: chunked, identity\r\n', `0\r\n\r\n${HIDDEN}`),
    statuses: [400],
  },
  {
    name: 'chunks said twice',
    bytes: post('Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n', `0\r\n\r\n${HIDDEN}`),
    statuses: [400],
  },
  {
    name: 'a blank before the colon',
    bytes: post('Transfer-Encoding : chunked\r\n', `0\r\n\r\n${HIDDEN}`),
    statuses: [400],
  },
  { name: 'a folded line', bytes: post('Transfer-Encoding:\r\n chunked\r\n', `0\r\n\r\n${HIDDEN}`), statuses: [400] },
  { name: 'a vertical tab', bytes: post('Transfer-Encoding: \x0bchunked\r\n', `0\r\n\r\n${HIDDEN}`), statuses: [400] },
  {
    name: 'lines that end in LF',
    bytes: `POST ${TARGET} HTTP/1.1\nHost: x\nTransfer-Encoding: chunked\n\n0\n\n${HIDDEN}`,
    statuses: [400],
  },
  {
    name: 'one line that ends in LF',
    bytes: post('X: y\nTransfer-Encoding: chunked\r\n', `0\r\n\r\n${HIDDEN}`),
    statuses: [400],
  },
  { name: 'a lone CR', bytes: post('X: y\rTransfer-Encoding: chunked\r\n', `0\r\n\r\n${HIDDEN}`), statuses: [400] },
  { name: 'NUL in a header', bytes: post('X: y\0Content-Length: 5\r\n', HIDDEN), statuses: [400] },
  { name: 'a chunk that is longer than it says', bytes: chunked(`1\r\n{}\r\n0\r\n\r\n${HIDDEN}`), statuses: [] },
  { name: 'a chunk with LF alone', bytes: chunked(`2\n{}\n0\n\n${HIDDEN}`), statuses: [] },
  { name: 'an extension with LF', bytes: chunked(`2;a\n{}\r\n0\r\n\r\n${HIDDEN}`), statuses: [] },
];

export const BROKEN: readonly Framing[] = [
  { name: 'a chunk of no size', bytes: chunked('zz\r\n{}\r\n0\r\n\r\n'), statuses: [] },
  { name: 'a chunk of a negative size', bytes: chunked('-1\r\n{}\r\n0\r\n\r\n'), statuses: [] },
  { name: 'a chunk beyond counting', bytes: chunked(`${'f'.repeat(17)}\r\n{}\r\n0\r\n\r\n`), statuses: [] },
  { name: 'an endless extension', bytes: chunked(`2;${'a'.repeat(200_000)}\r\n{}\r\n0\r\n\r\n`), statuses: [] },
  { name: 'endless trailers', bytes: chunked(`2\r\n{}\r\n0\r\nX: ${'a'.repeat(200_000)}\r\n\r\n`), statuses: [] },
  {
    name: 'trailers that would change the request',
    bytes: chunked('2\r\n{}\r\n0\r\nContent-Length: 9\r\nAuthorization: Bearer x\r\n\r\n'),
    statuses: [],
  },
  { name: 'ten thousand chunks of a byte', bytes: chunked(`${'1\r\n \r\n'.repeat(10_000)}0\r\n\r\n`), statuses: [400] },
  { name: 'chunks that never end', bytes: chunked('2\r\n{}\r\n'), leave: true, statuses: [] },
  { name: 'less than it says', bytes: last('Content-Length: 9\r\n', '{}'), leave: true, statuses: [] },
  { name: 'more than it says', bytes: post('Content-Length: 2\r\n', '{}more'), statuses: [] },
  { name: 'to be continued', bytes: last('Expect: 100-continue\r\nContent-Length: 2\r\n', '{}'), statuses: [100, 400] },
  { name: 'another expectation', bytes: last('Expect: 200-ok\r\nContent-Length: 2\r\n', '{}'), statuses: [400] },
  { name: 'a made-up method', bytes: get('', 'BREW /v1/auth/session HTTP/1.1'), statuses: [404] },
  { name: 'a method in small letters', bytes: get('', 'get /v1/auth/session HTTP/1.1'), statuses: [404] },
  { name: 'TRACE', bytes: get('', 'TRACE /v1/auth/session HTTP/1.1'), statuses: [404] },
  { name: 'CONNECT', bytes: get('', 'CONNECT example.com:443 HTTP/1.1'), statuses: [404] },
  { name: 'OPTIONS for all', bytes: get('', 'OPTIONS * HTTP/1.1'), statuses: [404] },
  { name: 'another version', bytes: get('', 'GET /healthz HTTP/9.9'), statuses: [400] },
  { name: 'the preface of HTTP/2', bytes: 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', statuses: [400] },
  { name: 'a request line without a version (HTTP/0.9)', bytes: 'GET /healthz\r\n\r\n', statuses: [200] },
  { name: 'HTTP/1.0', bytes: 'GET /v1/auth/session HTTP/1.0\r\n\r\n', statuses: [401] },
  { name: 'an absolute address', bytes: get('', 'GET http://evil.example/v1/auth/session HTTP/1.1'), statuses: [401] },
  { name: 'a path without a slash', bytes: get('', 'GET v1/auth/session HTTP/1.1'), statuses: [400] },
  { name: 'a path that climbs', bytes: get('', 'GET /v1/../../../etc/passwd HTTP/1.1'), statuses: [404] },
  { name: 'a path with NUL', bytes: get('', 'GET /v1/users/%00 HTTP/1.1'), statuses: [401] },
  { name: 'a path that cannot be decoded', bytes: get('', 'GET /v1/users/%zz HTTP/1.1'), statuses: [404] },
  { name: 'a path that is no UTF-8', bytes: get('', 'GET /v1/users/%ff%fe HTTP/1.1'), statuses: [404] },
  { name: 'a raw byte in the path', bytes: get('', 'GET /v1/users/\xff HTTP/1.1'), statuses: [400] },
  { name: 'blanks in the path', bytes: get('', 'GET /v1/users /me HTTP/1.1'), statuses: [400] },
  { name: 'a path of 20,000 characters', bytes: get('', `GET /${'a'.repeat(20_000)} HTTP/1.1`), statuses: [400] },
  { name: 'a query of 15,000 fields', bytes: get('', `GET /healthz?${'a&'.repeat(7_500)} HTTP/1.1`), statuses: [200] },
  { name: 'a header of 20,000 characters', bytes: get(`X: ${'a'.repeat(20_000)}\r\n`), statuses: [400] },
  { name: '3,000 headers', bytes: get('a:b\r\n'.repeat(3_000)), statuses: [REFUSES_MANY_HEADERS ? 400 : 401] },
  { name: 'a header without a colon', bytes: get('nonsense\r\n'), statuses: [400] },
  { name: 'a header without a name', bytes: get(': x\r\n'), statuses: [400] },
  { name: 'a name with a blank', bytes: get('X Y: z\r\n'), statuses: [400] },
  { name: '__proto__ as a header', bytes: get('__proto__: x\r\nconstructor: y\r\n'), statuses: [401] },
  { name: 'a thousand cookies', bytes: get(`Cookie: ${'service_at=x;'.repeat(1_000)}\r\n`), statuses: [401] },
  { name: 'two Hosts', bytes: get('Host: y\r\n'), statuses: [401] },
  {
    name: 'an upgrade to WebSocket',
    bytes: get('Upgrade: websocket\r\nSec-WebSocket-Key: x\r\nSec-WebSocket-Version: 13\r\n'),
    statuses: [401],
  },
  {
    name: 'an upgrade of the connection',
    bytes:
      'GET /v1/auth/session HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, close\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n',
    statuses: [401],
  },
  { name: 'nothing but line breaks', bytes: '\r\n'.repeat(100), leave: true, statuses: [] },
  { name: 'TLS', bytes: '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', statuses: [404] },
  { name: 'a body on GET', bytes: get('Content-Length: 9\r\n').concat('some body'), statuses: [401] },
  {
    name: 'a body on HEAD',
    bytes: get('Content-Length: 9\r\n', 'HEAD /healthz HTTP/1.1').concat('some body'),
    statuses: [200],
  },
  {
    name: 'a body on DELETE',
    bytes: get('Content-Length: 9\r\n', 'DELETE /v1/auth/sessions HTTP/1.1').concat('some body'),
    statuses: [401],
  },
];
