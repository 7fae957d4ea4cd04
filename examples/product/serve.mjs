// @ts-check
// Serves the page, the SDK as the browser loads it, and, as a reverse proxy would, the API below /api/.
import { readdirSync, readFileSync } from 'node:fs';
import { request as ask, createServer } from 'node:http';
import { extname } from 'node:path';

const { ISSUER = 'http://localhost:8080', API_ADDRESS = 'http://127.0.0.1:8081', PORT = '8082' } = process.env;
/** @type {Record<string, string>} */
const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.json': 'application/json' };

/** @param {string} prefix @param {URL} folder @returns {[string, Buffer][]} */
const filesIn = (prefix, folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => extname(name) in TYPES)
    .map((name) => [`${prefix}${name}`, readFileSync(new URL(name, folder))]);

// Only what is in here is served, whatever a request asks for.
const files = new Map([
  ...filesIn('/', new URL('./page/', import.meta.url)),
  ...filesIn('/sdk/', new URL('./', import.meta.resolve('@gatehouse/client'))),
  ['/settings.json', Buffer.from(JSON.stringify({ service: ISSUER }))],
]);

const server = createServer((request, response) => {
  const [path = '/'] = (request.url ?? '/').split('?');
  if (path === '/api/notes') {
    const { method, headers } = request;
    const onward = ask(`${API_ADDRESS}/notes`, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    request.pipe(onward);
    return;
  }
  const name = path === '/' ? '/index.html' : path;
  const file = files.get(name);
  response.writeHead(file ? 200 : 404, file && { 'content-type': TYPES[extname(name)] });
  response.end(file ?? 'There is no such page.');
});

server.listen(Number(PORT), '127.0.0.1', () => console.log(`The product is at http://127.0.0.1:${PORT}`));
