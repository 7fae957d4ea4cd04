import { execFile } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { copyFileSync, lstatSync, mkdirSync, readdirSync, readlinkSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { makeFolder, type Started, startNode, startProgram, untilReady } from '../bench/start-process.ts';
import { freePort } from '../packages/server/test/ports.ts';
import { installNpm, packagePath, Skipped, type unpackDebian } from './proof.ts';

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

type Unpacked = Awaited<ReturnType<typeof unpackDebian>>;

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

const MIME_TYPES = { html: 'text/html', css: 'text/css', js: 'application/javascript', json: 'application/json' };

const configuration = (folder: string, packages: Unpacked, port: number) => `
port=${port}
external_url="http://localhost:${port}"
login_url="login.html"
api_prefix="api"
static_files_path="${folder}/webapp"
log_mode="console"
log_level="WARNING"
cookie_domain="localhost"
cookie_secure=0
session_key="GLEWLWYD2_SESSION_ID"
admin_scope="g_admin"
profile_scope="g_profile"
user_module_path="${packagePath(packages, 'usr/lib/glewlwyd/user')}"
user_middleware_module_path="${folder}/none"
client_module_path="${packagePath(packages, 'usr/lib/glewlwyd/client')}"
user_auth_scheme_module_path="${packagePath(packages, 'usr/lib/glewlwyd/scheme')}"
plugin_module_path="${packagePath(packages, 'usr/lib/glewlwyd/plugin')}"
hash_algorithm="SHA512"
database = { type = "sqlite3" path = "${folder}/glewlwyd.db" };
static_files_mime_types = (${Object.entries(MIME_TYPES)
  .map(([end, type]) => `{ extension = ".${end}" mime_type = "${type}" compress = 0 }`)
  .join(', ')});
`;

function plugin(issuer: string) {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const key = { ...privateKey.export({ format: 'jwk' }), kid: 'interop', alg: 'RS256', use: 'sig' };
  return {
    module: 'oidc',
    name: 'oidc',
    display_name: 'OpenID Connect',
    order_rank: 0,
    readonly: false,
    parameters: {
      iss: issuer,
      'jwt-type': 'rsa',
      'jwt-key-size': '256',
      'jwks-private': JSON.stringify({ keys: [key] }),
      'default-kid': key.kid,
      'jwks-show': true,
      'access-token-duration': 3600,
      'refresh-token-duration': 3600,
      'code-duration': 600,
      'auth-type-code-enabled': true,
      'auth-type-id-token-enabled': true,
      'pkce-allowed': true,
      'pkce-required': true,
      'subject-type': 'public',
      'name-claim': 'mandatory',
      'email-claim': 'mandatory',
      'allowed-scope': ['openid', 'email', 'profile'],
      'oauth-as-iss-id': true,
    },
  };
}

async function administer(url: string): Promise<(path: string, body: object) => Promise<void>> {
  const send = async (path: string, body: object, cookie = '') => {
    const headers = { 'content-type': 'application/json', cookie };
    const answer = await fetch(`${url}/api/${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    if (answer.status !== 200) throw new Error(`glewlwyd: ${path} was answered ${answer.status}`);
    return answer;
  };
  const signedIn = await send('auth/', { username: 'admin', password: 'password' });
  const cookie = (signedIn.headers.get('set-cookie') ?? '').split(';')[0]!;
  return async (path, body) => void (await send(path, body, cookie));
}

/** Creates the tables and the first administrator, with Python, because Node 20 cannot open SQLite. */
async function createDatabase(packages: Unpacked, file: string): Promise<void> {
  const script = packagePath(packages, 'usr/share/dbconfig-common/data/glewlwyd/install/sqlite3');
  const code = 'import sqlite3, sys; sqlite3.connect(sys.argv[1]).executescript(open(sys.argv[2]).read())';
  await promisify(execFile)('/usr/bin/python3', ['-c', code, file, script]).catch(() => {
    throw new Skipped('this machine has no /usr/bin/python3 with SQLite');
  });
}

export async function glewlwyd(packages: Unpacked): Promise<IdentityProvider> {
  const port = await freePort();
  const url = `http://localhost:${port}`;
  return {
    name: 'Glewlwyd',
    issuer: `${url}/api/oidc`,
    async start(callback, email) {
      const folder = makeFolder();
      copyPages(packages, 'usr/share/glewlwyd/webapp', join(folder, 'webapp'));
      copyFileSync(packagePath(packages, 'usr/share/glewlwyd/templates/config.json'), `${folder}/webapp/config.json`);
      mkdirSync(join(folder, 'none'));
      await createDatabase(packages, join(folder, 'glewlwyd.db'));
      const config = join(folder, 'glewlwyd.conf');
      writeFileSync(config, configuration(folder, packages, port));
      const started = startProgram(packagePath(packages, 'usr/bin/glewlwyd'), ['--config-file', config], {
        cwd: folder,
        env: packages.env,
      });
      await untilReady(`${url}/login.html`, started);
      const create = await administer(url);
      for (const name of ['email', 'profile']) {
        await create('scope/', { name, display_name: name, password_required: true, password_max_age: 0, scheme: {} });
      }
      await create('mod/plugin/', plugin(`${url}/api/oidc`));
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
      const scope = ['openid', 'email', 'profile'];
      await create('user/', { username: 'ada', name: 'Ada', email, password: PASSWORD, scope, enabled: true });
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
