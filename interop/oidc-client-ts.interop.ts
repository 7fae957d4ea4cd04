import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { atEnd } from '../bench/tidy.ts';
import { freePort } from '../packages/server/test/ports.ts';
import { startWithApplication } from './application.ts';
import { installNpm, type Proof } from './proof.ts';
import { allow, openBrowser, signIn } from './visitor.ts';

const documentOf = (settings: object) => `<!doctype html><title>SPA</title><script src="/library.js"></script>
<script>
const manager = new oidc.UserManager(${JSON.stringify(settings)});
const show = (name, value) => { document.body.dataset[name] = JSON.stringify(value) ?? 'null'; };
addEventListener('load', async () => {
  try {
    if (location.search.includes('state=')) {
      const user = await manager.signinCallback();
      history.replaceState(null, '', '/');
      show('profile', user.profile);
    }
  } catch (error) { show('fault', error.message); }
});
</script><body>`;

export const proof: Proof = {
  about: 'a single-page application with oidc-client-ts signs a user in, and calls token and userinfo across origins',
  async run({ check }) {
    const folder = await installNpm('oidc-client-ts@3');
    const library = readFileSync(join(folder, 'node_modules/oidc-client-ts/dist/browser/oidc-client-ts.min.js'));
    const port = await freePort();
    const origin = `http://localhost:${port}`;
    const { issuer, application, email, user_id, url } = await startWithApplication({
      kind: 'spa',
      redirect_uris: [`${origin}/`],
    });
    const settings = {
      authority: issuer,
      client_id: application.client_id,
      redirect_uri: `${origin}/`,
      scope: 'openid profile email offline_access',
      loadUserInfo: true,
    };
    const server = createServer((request, response) => {
      const isLibrary = request.url === '/library.js';
      response.setHeader('content-type', isLibrary ? 'text/javascript' : 'text/html');
      response.end(isLibrary ? library : documentOf(settings));
    }).listen(port, 'localhost');
    atEnd(() => new Promise((resolve) => server.close(resolve)));

    const { page, faults } = await openBrowser();
    const shown = async (name: 'profile' | 'fault') => {
      await page.waitForFunction('document.body.dataset.profile || document.body.dataset.fault');
      const text = await page.evaluate<string | undefined>(`document.body.dataset.${name}`);
      return text === undefined ? undefined : (JSON.parse(text) as Record<string, unknown>);
    };
    await page.goto(`${origin}/`);
    await page.evaluate('void manager.signinRedirect()');
    await page.waitForURL(`${url}/sign-in*`);
    await signIn(page, email);
    await allow(page);
    await page.waitForURL(`${origin}/*`);
    check('no fault is reported', await shown('fault'), undefined);
    const profile = await shown('profile');
    check('the profile names the user, with the email of userinfo', [profile?.sub, profile?.email], [user_id, email]);
    const renewed = await page.evaluate<boolean>(`(async () => {
      const before = await manager.getUser();
      const after = await manager.signinSilent();
      return after.refresh_token !== before.refresh_token && after.access_token !== before.access_token;
    })()`);
    check('signinSilent renews the tokens across origins', renewed, true);
    await page.evaluate('manager.revokeTokens()');
    const isRejected = await page.evaluate<boolean>(`manager.signinSilent().then(() => false, () => true)`);
    check('after revokeTokens the refresh token is rejected, or the user is asked', isRejected, true);
    const foreign = await page.evaluate<string>(`
      fetch(${JSON.stringify(`${url}/v1/auth/sign-in-options`)}).then(() => 'read', () => 'blocked')`);
    check('other endpoints of the service are not open to the origin', foreign, 'blocked');
    check('no page of the service reported an error', faults, []);
  },
};
