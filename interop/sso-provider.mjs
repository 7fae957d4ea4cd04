// oidc-provider with its own pages for development: any login is accepted, and is the subject and the email.
import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import { pathToFileURL } from 'node:url';

const { PORT, MODULE, CLIENT_ID, CLIENT_SECRET, REDIRECT_URI } = process.env;
const { Provider } = await import(pathToFileURL(MODULE).href);

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const provider = new Provider(`http://127.0.0.1:${PORT}`, {
  clients: [
    {
      client_id: CLIENT_ID,
      client_secret: CLIENT_SECRET,
      grant_types: ['authorization_code'],
      response_types: ['code'],
      redirect_uris: [REDIRECT_URI],
      id_token_signed_response_alg: 'ES256',
    },
  ],
  jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), kid: 'interop', use: 'sig', alg: 'ES256' }] },
  claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
  cookies: { keys: ['a key of the proof'] },
  findAccount: (_context, id) => ({
    accountId: id,
    claims: () => ({ sub: id, email: id, email_verified: true, name: 'Ada' }),
  }),
});

createServer(provider.callback()).listen(Number(PORT), '127.0.0.1', () => console.log(JSON.stringify({ ready: true })));
process.on('SIGTERM', () => process.exit(0));
process.stdin.on('end', () => process.exit(0)).resume();
