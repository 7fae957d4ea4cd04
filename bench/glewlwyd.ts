import { execFile } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { packagePath, Skipped, type Unpacked } from './debian.ts';
import { type Started, startProgram, untilReady } from './start-process.ts';

export interface Glewlwyd {
  readonly started: Started;
  /** Creates a record through the API of its administrator. */
  create(path: 'client/' | 'user/', body: object): Promise<void>;
}

interface GlewlwydOptions {
  readonly port: number;
  /** Contains the database, and the pages of the sign-in in `webapp` if they are needed. */
  readonly folder: string;
  /** Settings of the OpenID Connect plugin, in addition to those below. */
  readonly plugin?: Readonly<Record<string, unknown>>;
}

/** Glewlwyd already has the first scope; the others are created. */
export const SCOPES = ['openid', 'email', 'profile'] as const;
export const urlOf = (port: number): string => `http://localhost:${port}`;
export const issuerOf = (port: number): string => `${urlOf(port)}/api/oidc`;

/** Starts Glewlwyd, unpacked from Debian, with SQLite and OpenID Connect (RS256 with a key of 2048 bits). */
export async function startGlewlwyd(packages: Unpacked, { port, folder, plugin }: GlewlwydOptions): Promise<Glewlwyd> {
  // Glewlwyd does not start if a folder of its configuration is missing.
  for (const name of ['none', 'webapp']) mkdirSync(join(folder, name), { recursive: true });
  await createDatabase(packages, join(folder, 'glewlwyd.db'));
  const config = join(folder, 'glewlwyd.conf');
  writeFileSync(config, configuration(folder, packages, port));
  const started = startProgram(packagePath(packages, 'usr/bin/glewlwyd'), ['--config-file', config], {
    cwd: folder,
    env: packages.env,
  });
  await untilReady(`${urlOf(port)}/config`, started);
  const create = await signInAsAdministrator(urlOf(port));
  for (const name of SCOPES.slice(1)) {
    await create('scope/', { name, display_name: name, password_required: true, password_max_age: 0, scheme: {} });
  }
  await create('mod/plugin/', oidcPlugin(issuerOf(port), plugin));
  return { started, create };
}

/** Creates the tables and the first administrator. */
async function createDatabase(packages: Unpacked, file: string): Promise<void> {
  const script = packagePath(packages, 'usr/share/dbconfig-common/data/glewlwyd/install/sqlite3');
  await openDatabase(file, 'db.executescript(open(sys.argv[2]).read())', script);
}

/** Runs a line of Python with the database as `db`, because Node 20 cannot open SQLite. Returns what it printed. */
export async function openDatabase(file: string, line: string, ...args: readonly string[]): Promise<string> {
  const code = `import sqlite3, sys; db = sqlite3.connect(sys.argv[1]); ${line}`;
  const { stdout } = await promisify(execFile)('/usr/bin/python3', ['-c', code, file, ...args]).catch(
    (error: Error) => {
      throw new Skipped(`python3 could not open the database: ${error.message}`);
    },
  );
  return stdout.trim();
}

const MIME_TYPES = { html: 'text/html', css: 'text/css', js: 'application/javascript', json: 'application/json' };

const configuration = (folder: string, packages: Unpacked, port: number) => `
port=${port}
bind_address="127.0.0.1"
external_url="${urlOf(port)}"
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

function oidcPlugin(issuer: string, settings: GlewlwydOptions['plugin']) {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const key = { ...privateKey.export({ format: 'jwk' }), kid: 'rsa', alg: 'RS256', use: 'sig' };
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
      'allowed-scope': SCOPES,
      'oauth-as-iss-id': true,
      ...settings,
    },
  };
}

async function signInAsAdministrator(url: string): Promise<(path: string, body: object) => Promise<void>> {
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
