import { createServer } from 'node:http';
import { join } from 'node:path';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { atEnd } from '../bench/tidy.ts';
import { freePort } from '../packages/server/test/ports.ts';
import { startWithApplication } from './application.ts';
import { installNpm, type Proof } from './proof.ts';
import { allow, openBrowser, signIn } from './visitor.ts';

interface Tokens {
  readonly access_token: string;
  readonly refresh_token?: string;
}
type Auth = (
  provider: object,
  options: { serverUrl: string; authorizationCode?: string },
) => Promise<'AUTHORIZED' | 'REDIRECT'>;

const SCOPES = ['openid', 'offline_access'];

/** A protected resource: its metadata (RFC 9728) names the service as its authorization server. */
async function startResource(issuer: () => string): Promise<string> {
  const port = await freePort();
  const resource = `http://localhost:${port}/mcp`;
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'application/json');
    if (!request.url?.startsWith('/.well-known/oauth-protected-resource')) return response.writeHead(404).end('{}');
    return response.end(JSON.stringify({ resource, authorization_servers: [issuer()], scopes_supported: SCOPES }));
  }).listen(port, 'localhost');
  atEnd(() => new Promise((resolve) => server.close(resolve)));
  return resource;
}

export const proof: Proof = {
  about:
    'the OAuth client of the MCP SDK, with a registered application, gets tokens for a resource. Skipped: its checks ' +
    'of dynamic client registration and of client metadata documents, which the service does not offer',
  async run({ check }) {
    const folder = await installNpm('@modelcontextprotocol/sdk@1');
    const path = 'node_modules/@modelcontextprotocol/sdk/dist/esm/client/auth.js';
    const { auth } = (await import(join(folder, path))) as { auth: Auth };
    let issuer = '';
    const resource = await startResource(() => issuer);
    const callback = `http://localhost:${await freePort()}/callback`;
    const setup = await startWithApplication({
      kind: 'native',
      redirect_uris: ['http://localhost/callback'],
      resources: [resource],
    });
    issuer = setup.issuer;
    const { application, email, user_id, url } = setup;

    const { page, faults } = await openBrowser();
    const held: { tokens?: Tokens; verifier: string; code: string } = { verifier: '', code: '' };
    const provider = {
      redirectUrl: callback,
      clientMetadata: { redirect_uris: [callback], scope: SCOPES.join(' ') },
      clientInformation: () => ({ client_id: application.client_id }),
      tokens: () => held.tokens,
      saveTokens: (given: Tokens) => {
        held.tokens = given;
      },
      saveCodeVerifier: (given: string) => {
        held.verifier = given;
      },
      codeVerifier: () => held.verifier,
      async redirectToAuthorization(address: URL) {
        // No program listens at the redirect address, as in an application on a phone.
        await page.route(`${callback}*`, (route) => route.fulfill({ body: 'returned' }));
        await page.goto(address.href);
        if (new URL(page.url()).origin === url && page.url().includes('/sign-in')) await signIn(page, email);
        await allow(page);
        await page.waitForURL(`${callback}?*`);
        held.code = new URL(page.url()).searchParams.get('code') ?? '';
      },
    };
    check('the client sends the user to the service', await auth(provider, { serverUrl: resource }), 'REDIRECT');
    check(
      'the client exchanges the code',
      await auth(provider, { serverUrl: resource, authorizationCode: held.code }),
      'AUTHORIZED',
    );
    const granted = held.tokens;
    const keys = createRemoteJWKSet(new URL(`${issuer}/jwks.json`));
    const { payload } = await jwtVerify(granted?.access_token ?? '', keys, {
      issuer,
      audience: resource,
      typ: 'at+jwt',
    });
    check('the resource accepts the access token by its key, issuer, audience and type', payload.sub, user_id);
    check('the client renews the tokens', await auth(provider, { serverUrl: resource }), 'AUTHORIZED');
    check('the renewed access token is another one', held.tokens?.access_token !== granted?.access_token, true);
    check('no page of the service reported an error', faults, []);
  },
};
