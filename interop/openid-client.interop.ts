import { createServer } from 'node:http';
import { join } from 'node:path';
import { atEnd } from '../bench/tidy.ts';
import { freePort } from '../packages/server/test/ports.ts';
import { startWithApplication } from './application.ts';
import { installNpm, type Proof } from './proof.ts';
import { allow, openBrowser, signIn } from './visitor.ts';

interface Tokens {
  readonly access_token: string;
  readonly refresh_token?: string;
  readonly scope?: string;
  claims(): Record<string, unknown> | undefined;
}
type Parameters = Record<string, string>;

interface OpenIdClient {
  allowInsecureRequests: unknown;
  discovery(server: URL, id: string, metadata: unknown, auth: unknown, options: object): Promise<Configuration>;
  ClientSecretBasic(secret: string): unknown;
  randomPKCECodeVerifier(): string;
  calculatePKCECodeChallenge(verifier: string): Promise<string>;
  randomState(): string;
  randomNonce(): string;
  buildAuthorizationUrl(configuration: Configuration, parameters: Parameters): URL;
  authorizationCodeGrant(configuration: Configuration, current: URL, checks: object): Promise<Tokens>;
  refreshTokenGrant(configuration: Configuration, token: string): Promise<Tokens>;
  fetchUserInfo(configuration: Configuration, token: string, subject: string): Promise<Record<string, unknown>>;
  tokenIntrospection(configuration: Configuration, token: string): Promise<Record<string, unknown>>;
  tokenRevocation(configuration: Configuration, token: string): Promise<void>;
}
interface Configuration {
  serverMetadata(): Record<string, unknown>;
}

async function startCallback(): Promise<string> {
  const port = await freePort();
  const server = createServer((_request, response) => response.end('returned')).listen(port, '127.0.0.1');
  atEnd(() => new Promise((resolve) => server.close(resolve)));
  return `http://127.0.0.1:${port}/callback`;
}

const codeOf = (error: unknown): unknown => (error as { error?: string }).error ?? (error as { code?: string }).code;

export const proof: Proof = {
  about: 'openid-client signs a user in through a browser, renews, reads, inspects and revokes',
  async run({ check }) {
    const folder = await installNpm('openid-client@6');
    const oidc = (await import(join(folder, 'node_modules/openid-client/build/index.js'))) as OpenIdClient;
    const callback = await startCallback();
    const { issuer, application, secret, email, user_id, organization_id } = await startWithApplication({
      kind: 'web',
      redirect_uris: [callback],
    });
    const configuration = await oidc.discovery(
      new URL(issuer),
      application.client_id,
      undefined,
      oidc.ClientSecretBasic(secret),
      { execute: [oidc.allowInsecureRequests] },
    );
    check('discovery finds the issuer', configuration.serverMetadata().issuer, issuer);

    const { page, faults } = await openBrowser();
    const begin = async (parameters: Parameters = {}) => {
      const checks = {
        pkceCodeVerifier: oidc.randomPKCECodeVerifier(),
        expectedState: oidc.randomState(),
        expectedNonce: oidc.randomNonce(),
        idTokenExpected: true,
      };
      const url = oidc.buildAuthorizationUrl(configuration, {
        redirect_uri: callback,
        scope: 'openid profile email offline_access organization',
        code_challenge: await oidc.calculatePKCECodeChallenge(checks.pkceCodeVerifier),
        code_challenge_method: 'S256',
        state: checks.expectedState,
        nonce: checks.expectedNonce,
        ...parameters,
      });
      await page.goto(url.href);
      return checks;
    };
    const returned = async (): Promise<URL> => {
      await page.waitForURL(`${callback}?*`);
      return new URL(page.url());
    };

    let checks = await begin();
    await signIn(page, email);
    await allow(page);
    let current = await returned();
    check('the response names the issuer', current.searchParams.get('iss'), issuer);
    const tokens = await oidc.authorizationCodeGrant(configuration, current, checks);
    const claims = tokens.claims() ?? {};
    check(
      'the ID token names user, email and organization',
      [claims.sub, claims.email, claims.org, claims.role],
      [user_id, email, organization_id, 'owner'],
    );
    const info = await oidc.fetchUserInfo(configuration, tokens.access_token, user_id);
    check('user info names the same user', [info.sub, info.email], [user_id, email]);

    const renewed = await oidc.refreshTokenGrant(configuration, tokens.refresh_token ?? '');
    check('the refresh token is renewed', renewed.refresh_token !== tokens.refresh_token, true);
    const active = await oidc.tokenIntrospection(configuration, renewed.access_token);
    check('introspection: the new access token is active', [active.active, active.sub], [true, user_id]);

    checks = await begin({ prompt: 'none' });
    current = await returned();
    const silent = await oidc.authorizationCodeGrant(configuration, current, checks);
    check('prompt=none signs in without a page', silent.claims()?.sub, user_id);
    const again = await oidc.authorizationCodeGrant(configuration, current, checks).catch(codeOf);
    check('a code is accepted once', again, 'invalid_grant');

    checks = await begin();
    current = await returned();
    const stolen = { ...checks, pkceCodeVerifier: oidc.randomPKCECodeVerifier() };
    check(
      'a code with another verifier is rejected',
      await oidc.authorizationCodeGrant(configuration, current, stolen).catch(codeOf),
      'invalid_grant',
    );

    await begin({ prompt: 'none', max_age: '0' });
    check('prompt=none with max_age=0 needs a sign-in', (await returned()).searchParams.get('error'), 'login_required');

    await oidc.tokenRevocation(configuration, renewed.refresh_token ?? '');
    const ended = await oidc.tokenIntrospection(configuration, renewed.access_token);
    check('introspection: the access token ends with the grant', ended, { active: false });
    check('no page of the service reported an error', faults, []);
  },
};
