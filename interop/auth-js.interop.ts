import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startNode } from '../bench/start-process.ts';
import { freePort } from '../packages/server/test/ports.ts';
import { startWithApplication } from './application.ts';
import { installNpm, type Proof } from './proof.ts';
import { allow, openBrowser, signIn } from './visitor.ts';

/** A site in the manner of the documentation of Auth.js: one OpenID provider, and a page that shows the session. */
const PROGRAM = `
import express from 'express';
import { ExpressAuth, getSession } from '@auth/express';
const { PORT, ISSUER, CLIENT_ID, CLIENT_SECRET } = process.env;
const config = {
  trustHost: true,
  secret: 'a secret of the proof, 0123456789 abcdef',
  providers: [{
    id: 'gatehouse', name: 'Gatehouse', type: 'oidc', issuer: ISSUER, clientId: CLIENT_ID, clientSecret: CLIENT_SECRET,
    checks: ['pkce', 'state', 'nonce'],
  }],
};
const site = express();
site.use('/auth/*', ExpressAuth(config));
site.get('/', async (request, response) => response.json(await getSession(request, config)));
site.listen(Number(PORT), 'localhost', () => console.log(JSON.stringify({ ready: true })));
process.stdin.on('end', () => process.exit(0)).resume();
`;

export const proof: Proof = {
  about: 'a site with Auth.js (@auth/express) signs a user in, with PKCE, state and nonce',
  async run({ check }) {
    const folder = await installNpm('@auth/express@0.12', 'express@4');
    const port = await freePort();
    const site = `http://localhost:${port}`;
    const { issuer, application, secret, email, url } = await startWithApplication({
      kind: 'web',
      redirect_uris: [`${site}/auth/callback/gatehouse`],
    });
    writeFileSync(join(folder, 'site.mjs'), PROGRAM);
    const env = { PORT: String(port), ISSUER: issuer, CLIENT_ID: application.client_id, CLIENT_SECRET: secret };
    await startNode([join(folder, 'site.mjs')], { cwd: folder, env }).announced;

    const { page, faults } = await openBrowser();
    await page.goto(`${site}/auth/signin`);
    await page.getByRole('button', { name: /Gatehouse/ }).click();
    await page.waitForURL(`${url}/sign-in*`);
    await signIn(page, email);
    await allow(page);
    await page.waitForURL(`${site}/`);
    const session = JSON.parse((await page.textContent('body')) ?? '{}') as { user?: { email?: string } };
    check('the session of the site names the user', session.user?.email, email);
    check('no page reported an error', faults, []);
  },
};
