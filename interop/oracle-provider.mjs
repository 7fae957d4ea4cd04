// oidc-provider with one client, for the comparison in oracle.interop.ts. Its interactions finish by themselves: the
// user signs in and consents. Set to the rules of docs/reference/oauth-server.md where it has a setting for them: PKCE
// always, refresh tokens that always rotate, access tokens as JWT for resources. Everything else is its default.
import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import { pathToFileURL } from 'node:url';

const { PORT, MODULE, CLIENT_ID, CLIENT_SECRET, REDIRECT_URI, RESOURCE } = process.env;
const { Provider, errors } = await import(pathToFileURL(MODULE).href);

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const provider = new Provider(`http://127.0.0.1:${PORT}`, {
  clients: [
    {
      client_id: CLIENT_ID,
      client_secret: CLIENT_SECRET,
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      redirect_uris: [REDIRECT_URI],
      token_endpoint_auth_method: 'client_secret_basic',
    },
  ],
  jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), kid: 'oracle', use: 'sig', alg: 'RS256' }] },
  scopes: ['openid', 'offline_access', 'profile', 'email'],
  claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
  conformIdTokenClaims: false,
  cookies: { keys: ['a key of the oracle'] },
  pkce: { required: () => true },
  rotateRefreshToken: true,
  issueRefreshToken: (_context, client, code) =>
    client.grantTypeAllowed('refresh_token') && code.scopes.has('offline_access'),
  interactions: { url: (_context, interaction) => `/interaction/${interaction.uid}` },
  features: {
    devInteractions: { enabled: false },
    clientCredentials: { enabled: true },
    introspection: { enabled: true },
    revocation: { enabled: true },
    resourceIndicators: {
      enabled: true,
      // Otherwise the token request would have to repeat the `resource` parameter.
      useGrantedResource: () => true,
      getResourceServerInfo(_context, resource) {
        if (resource !== RESOURCE) throw new errors.InvalidTarget();
        return { scope: 'openid email offline_access', accessTokenFormat: 'jwt', jwt: { sign: { alg: 'RS256' } } };
      },
    },
  },
  findAccount: (_context, id) => ({
    accountId: id,
    claims: () => ({ sub: id, email: 'ada@example.com', email_verified: true }),
  }),
});

/** Signs the user in, or gives the consent that is missing. */
async function finish(request, response) {
  const { prompt, params, session, grantId } = await provider.interactionDetails(request, response);
  if (prompt.name === 'login') {
    return provider.interactionFinished(request, response, { login: { accountId: 'ada' } });
  }
  const grant = grantId
    ? await provider.Grant.find(grantId)
    : new provider.Grant({ accountId: session.accountId, clientId: params.client_id });
  grant.addOIDCScope(params.scope);
  if (params.resource) grant.addResourceScope(params.resource, params.scope);
  return provider.interactionFinished(request, response, { consent: { grantId: await grant.save() } });
}

const callback = provider.callback();
createServer((request, response) =>
  request.url.startsWith('/interaction/')
    ? finish(request, response).catch((error) => response.writeHead(500).end(String(error)))
    : callback(request, response),
).listen(Number(PORT), '127.0.0.1', () => console.log(JSON.stringify({ ready: true })));
process.on('SIGTERM', () => process.exit(0));
process.stdin.on('end', () => process.exit(0)).resume();
