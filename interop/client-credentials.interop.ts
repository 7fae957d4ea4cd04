import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createMachine, startWithOwner } from './account.ts';
import { installNpm, type Proof } from './proof.ts';

interface Library {
  readonly Configuration: new (server: object, clientId: string, metadata: object, authentication: unknown) => object;
  ClientSecretBasic(secret: string): unknown;
  ClientSecretPost(secret: string): unknown;
  allowInsecureRequests(configuration: object): void;
  clientCredentialsGrant(
    configuration: object,
    parameters?: Record<string, string>,
  ): Promise<{ access_token: string; token_type: string; expires_in: number; scope: string }>;
  fetchProtectedResource(configuration: object, token: string, url: URL, method: string): Promise<Response>;
}

export const proof: Proof = {
  about: 'openid-client for Node exchanges API keys for access tokens, and uses them',
  async run({ check }) {
    const folder = await installNpm('openid-client@6');
    const library = (await import(createRequire(join(folder, 'index.js')).resolve('openid-client'))) as Library;
    const account = await startWithOwner();
    const { prefix, key, revoke } = await createMachine(account);
    const server = { issuer: account.url, token_endpoint: `${account.url}/oauth/token` };
    const clientWith = (authentication: unknown) => {
      const configuration = new library.Configuration(server, prefix, {}, authentication);
      library.allowInsecureRequests(configuration);
      return configuration;
    };
    const client = clientWith(library.ClientSecretBasic(key));
    const granted = await library.clientCredentialsGrant(client);
    check('a key is exchanged by client_secret_basic', granted.scope, 'members.list org.read');
    check('the token lives for 300 seconds', granted.expires_in, 300);

    const posted = await library.clientCredentialsGrant(clientWith(library.ClientSecretPost(key)), {
      scope: 'members.list',
    });
    check('a key is exchanged by client_secret_post, for less', posted.scope, 'members.list');

    const members = new URL(`${account.url}/v1/orgs/${account.organization_id}/members`);
    const answer = await library.fetchProtectedResource(client, posted.access_token, members, 'GET');
    check('the token lists the members', answer.status, 200);

    // For a 401 with WWW-Authenticate, which RFC 6749 requires, the library has an error class without `error`.
    const failure = (work: Promise<unknown>) =>
      work.then(
        () => 'granted',
        async ({ status, error, response }) => `${status} ${error ?? (await response.json()).error}`,
      );
    const excess = library.clientCredentialsGrant(client, { scope: 'members.remove' });
    check('a scope that the account lacks is rejected', await failure(excess), '400 invalid_scope');
    const wrong = clientWith(library.ClientSecretBasic(`${key.slice(0, -1)}x`));
    check('a mistyped key is rejected', await failure(library.clientCredentialsGrant(wrong)), '401 invalid_client');
    await revoke();
    check('an ended key is rejected', await failure(library.clientCredentialsGrant(client)), '401 invalid_client');
  },
};
