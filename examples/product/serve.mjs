// @ts-check
// Serves the page, the SDK for the browser and, like a reverse proxy, the API below /api/.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { request as ask, createServer } from 'node:http';
import { extname } from 'node:path';
import { pipeline } from 'node:stream';

const { ISSUER = 'http://localhost:8080', API_ADDRESS = 'http://127.0.0.1:8081', PORT = '8082' } = process.env;
/** @type {Record<string, string>} */
const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.json': 'application/json' };

/** @param {string} prefix @param {URL} folder @returns {[string, Buffer][]} */
const filesIn = (prefix, folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => extname(name) in TYPES)
    .map((name) => [`${prefix}${name}`, readFileSync(new URL(name, folder))]);

// Only these files are served, whatever path a request has.
const files = new Map([
  ...filesIn('/', new URL('./page/', import.meta.url)),
  ...filesIn('/sdk/', new URL('./', import.meta.resolve('@gatehouse/client'))),
  ['/settings.json', Buffer.from(JSON.stringify({ service: ISSUER }))],
]);

/** A page with tokens runs only its own scripts and connects only to its own host and the service. */
const POLICY = `default-src 'none'; script-src 'self' ${inlineHash()}; style-src 'self'; connect-src 'self' ${ISSUER}; img-src data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`;

/** The import map is inline, so the policy needs its hash. */
function inlineHash() {
  const [, map = ''] = /<script type="importmap">([\s\S]*?)<\/script>/.exec(String(files.get('/index.html'))) ?? [];
  return `'sha256-${createHash('sha256').update(map).digest('base64')}'`;
}

/** The paths of the API, and no others. */
const API_PATH = /^\/api\/notes(\/\d+\/approval)?$/;

const server = createServer((request, response) => {
  const [path = '/'] = (request.url ?? '/').split('?');
  if (API_PATH.test(path)) return callApi(request, response, path.slice('/api'.length));
  const name = path === '/' ? '/index.html' : path;
  const file = files.get(name);
  response.writeHead(file ? 200 : 404, {
    'content-type': TYPES[extname(name)] ?? 'text/plain',
    'content-security-policy': POLICY,
    'x-content-type-options': 'nosniff',
  });
  response.end(file ?? 'Page not found.');
});

/**
 * Forwards only the headers that the API needs: others belong to this connection.
 * @param {import('node:http').IncomingMessage} request @param {import('node:http').ServerResponse} response
 * @param {string} path
 */
function callApi(request, response, path) {
  const { authorization, 'content-type': type, 'content-length': length } = request.headers;
  const headers = {
    ...(authorization && { authorization }),
    ...(type && { 'content-type': type }),
    ...(length && { 'content-length': length }),
  };
  const onward = ask(API_ADDRESS + path, { method: request.method, headers }, (answer) => {
    const { 'content-type': kind = 'text/plain', 'www-authenticate': challenge } = answer.headers;
    response.writeHead(answer.statusCode ?? 502, {
      'content-type': kind,
      ...(challenge && { 'www-authenticate': challenge }),
    });
    pipeline(answer, response, () => {});
  });
  onward.on('error', () => (response.headersSent ? response.destroy() : response.writeHead(502).end()));
  response.on('close', () => onward.destroy());
  request.pipe(onward);
}

server.listen(Number(PORT), '127.0.0.1', () => console.log(`The product is at http://127.0.0.1:${PORT}`));
