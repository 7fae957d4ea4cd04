import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  codeFor,
  createClient,
  exchange,
  type TestClient,
} from '../../server/src/features/oauth-server/provider-fixture.ts';
import { registerUser, type TestUser } from '../../server/test/browser.ts';
import { useTestApp } from '../../server/test/harness.ts';
import { createVerifier, type Verifier } from './verifier.ts';

const RESOURCE = 'https://api.example.com/';
const app = useTestApp();
let verifier: Verifier;
let own: Verifier;
let client: TestClient;
let user: TestUser;
beforeAll(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: app.clock.now() });
  const address = await app.server.listen({ host: '127.0.0.1', port: 0 });
  const issuer = app.deps.config.PUBLIC_BASE_URL!;
  verifier = createVerifier({ issuer, address, audience: RESOURCE });
  own = createVerifier({ issuer, address });
  client = await createClient(app, { trusted: true, resources: [RESOURCE] });
  user = await registerUser(app);
});
afterAll(() => {
  verifier.close();
  own.close();
  vi.useRealTimers();
});

const tokensFor = async (fields: Record<string, string>) =>
  (await exchange(app, client, await codeFor(user.browser, client, fields))).json;

describe('a verifier with the option audience', () => {
  it('accepts an access token of an application for this audience until its grant ends', async () => {
    const { access_token } = await tokensFor({ resource: RESOURCE, scope: 'openid email' });
    expect(await verifier.verify(access_token)).toMatchObject({
      user_id: user.user_id,
      organization_id: user.organization_id,
      client_id: client.client_id,
      scopes: ['email', 'openid'],
      permissions: [],
      auth_method: 'application',
      aal: 'aal1',
    });
    await expect(verifier.lookUp(access_token)).rejects.toMatchObject({ code: 'forbidden' });
    await expect(own.verify(access_token)).rejects.toMatchObject({ code: 'token_invalid' });
    await user.browser.delete(`/users/me/applications/${client.application.id}`);
    const refused = async () =>
      verifier.verify(access_token).then(
        () => undefined,
        (error) => error.code,
      );
    await vi.waitFor(async () => expect(await refused()).toBe('session_revoked'), { timeout: 20_000 });
  });

  it.each(['of the service itself', 'for userinfo', 'of kind ID token'])('rejects a token %s', async (kind) => {
    const { access_token, id_token } = await tokensFor({ scope: 'openid' });
    const tokens: Record<string, string> = { 'of the service itself': user.access_token, 'for userinfo': access_token };
    await expect(verifier.verify(tokens[kind] ?? id_token)).rejects.toMatchObject({ code: 'token_invalid' });
  });

  it('an audience that is not an absolute URI is refused at once', () => {
    expect(() => createVerifier({ issuer: 'https://id.example.com', audience: 'api' })).toThrow(TypeError);
  });
});
