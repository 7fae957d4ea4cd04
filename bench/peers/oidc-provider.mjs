// oidc-provider with everything in memory: neither network nor disk between it and its data. Defaults: opaque access
// tokens, an RS256 id_token with every refresh with scope `openid`, rotation with reuse detection. Set here: one
// confidential client, one RSA key of 2048 bits, rotation always (by default, with such a client, only late in the life
// of a token), token lifetimes like ours, and a plain Map instead of its memory adapter, which walks all tokens of a
// grant for each new one and keeps at most a thousand entries. Grants and first tokens are created through its models:
// the measurement begins after sign-in. With JWT=1, access tokens are for an API and therefore signed, like ours.
import { createHash, generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import { Provider } from 'oidc-provider';

const REDIRECT_URI = 'https://client.example.com/callback';
const SCOPE = 'openid offline_access email';
const RESOURCE = process.env.JWT === '1' ? 'https://api.example.com' : undefined;
const client = { client_id: 'bench', client_secret: 'a secret of the bench, 0123456789' };

class MapAdapter {
  #rows = new Map();
  async upsert(id, payload) {
    this.#rows.set(id, payload);
  }
  async find(id) {
    return this.#rows.get(id);
  }
  async findByUid(uid) {
    return [...this.#rows.values()].find((row) => row.uid === uid);
  }
  async findByUserCode(code) {
    return [...this.#rows.values()].find((row) => row.userCode === code);
  }
  async destroy(id) {
    this.#rows.delete(id);
  }
  async consume(id) {
    this.#rows.get(id).consumed = Math.floor(Date.now() / 1000);
  }
  async revokeByGrantId(grantId) {
    for (const [id, row] of this.#rows) if (row.grantId === grantId) this.#rows.delete(id);
  }
}

const port = Number(process.env.PORT);
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const provider = new Provider(`http://127.0.0.1:${port}`, {
  adapter: MapAdapter,
  clients: [
    {
      ...client,
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      redirect_uris: [REDIRECT_URI],
      token_endpoint_auth_method: 'client_secret_basic',
      id_token_signed_response_alg: 'RS256',
    },
  ],
  jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), kid: 'bench', use: 'sig', alg: 'RS256' }] },
  scopes: ['openid', 'offline_access', 'email'],
  claims: { openid: ['sub'], email: ['email', 'email_verified'] },
  cookies: { keys: ['a key of the bench'] },
  rotateRefreshToken: true,
  ttl: { AccessToken: 900, IdToken: 900, RefreshToken: 30 * 86_400, Grant: 90 * 86_400 },
  findAccount: (_context, id) => ({
    accountId: id,
    claims: () => ({ sub: id, email: `${id}@example.com`, email_verified: true }),
  }),
  features: {
    devInteractions: { enabled: false },
    resourceIndicators: {
      enabled: RESOURCE !== undefined,
      defaultResource: () => RESOURCE,
      useGrantedResource: () => true,
      getResourceServerInfo: () => ({
        scope: 'email',
        audience: RESOURCE,
        accessTokenFormat: 'jwt',
        jwt: { sign: { alg: 'RS256' } },
      }),
    },
  },
});

async function saveGrant(accountId) {
  const grant = new provider.Grant({ accountId, clientId: client.client_id });
  grant.addOIDCScope(SCOPE);
  if (RESOURCE !== undefined) grant.addResourceScope(RESOURCE, 'email');
  return grant.save();
}

async function signIn(accountId) {
  const found = await provider.Client.find(client.client_id);
  const grantId = await saveGrant(accountId);
  const token = { accountId, client: found, grantId, scope: SCOPE, gty: 'authorization_code', resource: RESOURCE };
  const authTime = Math.floor(Date.now() / 1000);
  return {
    access_token: await new provider.AccessToken({ ...token, resource: undefined }).save(),
    refresh_token: await new provider.RefreshToken({ ...token, authTime, rotations: 0, iiat: authTime }).save(),
  };
}

const VERIFIER = 'a-verifier-of-the-bench-0123456789-abcdefghijklmnop';

async function mintCode(index) {
  const found = await provider.Client.find(client.client_id);
  const accountId = `person-${index % 200}`;
  return new provider.AuthorizationCode({
    accountId,
    client: found,
    grantId: await saveGrant(accountId),
    resource: RESOURCE,
    scope: SCOPE,
    redirectUri: REDIRECT_URI,
    authTime: Math.floor(Date.now() / 1000),
    codeChallenge: createHash('sha256').update(VERIFIER).digest('base64url'),
    codeChallengeMethod: 'S256',
  }).save();
}

const sessions = await Promise.all(
  Array.from({ length: Number(process.env.SESSIONS ?? 1) }, (_, index) => signIn(`person-${index}`)),
);
const callback = provider.callback();
/** `/codes/<count>` mints codes between measurements. */
const server = createServer(async (request, response) => {
  const [, count] = /^\/codes\/(\d+)$/.exec(request.url) ?? [];
  if (count === undefined) return callback(request, response);
  const codes = await Promise.all(Array.from({ length: Number(count) }, (_, index) => mintCode(index)));
  return response.end(JSON.stringify(codes));
});
const exchange = { code_verifier: VERIFIER, redirect_uri: REDIRECT_URI };
server.listen(port, '127.0.0.1', () => console.log(JSON.stringify({ port, client, sessions, exchange })));
process.on('SIGTERM', () => process.exit(0));
process.stdin.on('end', () => process.exit(0)).resume();
