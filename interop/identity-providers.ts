import { copyFileSync, lstatSync, mkdirSync, readdirSync, readlinkSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Page } from 'playwright-core';
import { packagePath, type Unpacked } from '../bench/debian.ts';
import { issuerOf, SCOPES, startGlewlwyd } from '../bench/glewlwyd.ts';
import { makeFolder, type Started, startNode } from '../bench/start-process.ts';
import { freePort } from '../packages/server/test/ports.ts';
import { installNpm } from './proof.ts';

/** Only letters and digits, because providers differ in how they decode the secret of HTTP Basic. */
export const CLIENT = { client_id: 'gatehouse', client_secret: 'c2VjcmV0IG9mIHRoZSBjbGllbnQ' } as const;

/** An identity provider of an organization, which is not started yet: it needs the callback URL of the connection. */
export interface IdentityProvider {
  readonly name: string;
  readonly issuer: string;
  start(callback: string, email: string): Promise<Started>;
  signIn(page: Page, email: string): Promise<void>;
  /** Continues with the session that the browser has at the provider. */
  signInAgain(page: Page): Promise<void>;
}

export async function oidcProvider(): Promise<IdentityProvider> {
  const folder = await installNpm('oidc-provider@9');
  const port = await freePort();
  return {
    name: 'oidc-provider',
    issuer: `http://127.0.0.1:${port}`,
    async start(callback) {
      const env = {
        PORT: String(port),
        MODULE: join(folder, 'node_modules/oidc-provider/lib/index.js'),
        CLIENT_ID: CLIENT.client_id,
        CLIENT_SECRET: CLIENT.client_secret,
        REDIRECT_URI: callback,
      };
      const started = startNode([join(import.meta.dirname, 'sso-provider.mjs')], { env });
      await started.announced;
      return started;
    },
    async signIn(page, email) {
      await page.locator('input[name="login"]').fill(email);
      await page.locator('input[name="password"]').fill('any');
      await page.locator('button[type="submit"]').click();
      await page.getByText('Continue', { exact: true }).click();
    },
    // The provider shows no page, because the browser has a session there.
    signInAgain: async () => {},
  };
}

const PASSWORD = 'correct horse battery';

/** Copies the targets of relative symbolic links, which are files of other packages, unpacked or of the system. */
function copyPages(packages: Unpacked, path: string, target: string): void {
  mkdirSync(target, { recursive: true });
  for (const entry of readdirSync(packagePath(packages, path))) {
    const inside = join(path, entry);
    const place = join(packages.folder, inside);
    if (lstatSync(place).isSymbolicLink()) {
      const file = join(dirname(inside), readlinkSync(place));
      if (!readlinkSync(place).startsWith('/')) copyFileSync(packagePath(packages, file), join(target, entry));
    } else if (statSync(place).isDirectory()) copyPages(packages, inside, join(target, entry));
    else copyFileSync(place, join(target, entry));
  }
}

export async function glewlwyd(packages: Unpacked): Promise<IdentityProvider> {
  const port = await freePort();
  return {
    name: 'Glewlwyd',
    issuer: issuerOf(port),
    async start(callback, email) {
      const folder = makeFolder();
      copyPages(packages, 'usr/share/glewlwyd/webapp', join(folder, 'webapp'));
      copyFileSync(packagePath(packages, 'usr/share/glewlwyd/templates/config.json'), `${folder}/webapp/config.json`);
      const { started, create } = await startGlewlwyd(packages, { port, folder });
      await create('client/', {
        client_id: CLIENT.client_id,
        name: 'Gatehouse',
        confidential: true,
        password: CLIENT.client_secret,
        redirect_uri: [callback],
        authorization_type: ['code'],
        token_endpoint_auth_method: ['client_secret_basic'],
        scope: [],
        enabled: true,
      });
      await create('user/', { username: 'ada', name: 'Ada', email, password: PASSWORD, scope: SCOPES, enabled: true });
      return started;
    },
    async signIn(page) {
      await page.locator('#username').fill('ada');
      await page.locator('#password').fill(PASSWORD);
      await page.locator('#loginbut').click();
      await page.getByRole('button', { name: 'Grant access' }).click();
      await page.getByRole('button', { name: 'Continue' }).click();
    },
    signInAgain: (page) => page.getByRole('button', { name: 'Continue' }).click(),
  };
}
