import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packagePath, unpackDebian } from '../bench/debian.ts';
import { makeFolder, startProgram, untilReady } from '../bench/start-process.ts';
import { freePort } from '../packages/server/test/ports.ts';
import { createMachine, startWithOwner } from './account.ts';
import type { Proof } from './proof.ts';

const MODULES = ['mpm_event', 'authn_core', 'authz_core', 'authz_user', 'dir', 'oauth2'];

/** A configuration with one open path and, below /api, one folder that only an organization may read. */
const configuration = (place: {
  folder: string;
  port: number;
  issuer: string;
  organization: string;
  modules: string;
}) => `
ServerRoot "${place.folder}"
ServerName localhost
Listen 127.0.0.1:${place.port}
PidFile "${place.folder}/apache.pid"
ErrorLog "${place.folder}/error.log"
LogLevel warn
User www-data
Group www-data
${MODULES.map((name) => `LoadModule ${name}_module "${place.modules}/mod_${name}.so"`).join('\n')}
DocumentRoot "${place.folder}/site"
<Location /api>
  AuthType oauth2
  OAuth2TokenVerify jwks_uri ${place.issuer}/.well-known/jwks.json
  Require oauth2_claim org:${place.organization}
</Location>
`;

export const proof: Proof = {
  about: 'Apache with mod_oauth2 protects a site with access tokens, which it verifies by the key set of the service',
  async run({ check }) {
    const packages = await unpackDebian('libapache2-mod-oauth2', 'apache2-bin');
    const account = await startWithOwner();
    const { url, client, organization_id } = account;
    const folder = makeFolder();
    // The workers of Apache run as www-data.
    chmodSync(folder, 0o755);
    mkdirSync(join(folder, 'site/api'), { recursive: true });
    writeFileSync(join(folder, 'site/index.html'), 'open');
    writeFileSync(join(folder, 'site/api/index.html'), 'protected');
    const port = await freePort();
    const modules = packagePath(packages, 'usr/lib/apache2/modules');
    const config = join(folder, 'apache.conf');
    writeFileSync(config, configuration({ folder, port, issuer: url, organization: organization_id, modules }));
    const apache = startProgram(packagePath(packages, 'usr/sbin/apache2'), ['-D', 'FOREGROUND', '-f', config], {
      cwd: folder,
      env: packages.env,
    });
    const address = `http://127.0.0.1:${port}`;
    await untilReady(`${address}/`, apache);

    const ask = async (token?: string) =>
      (await fetch(`${address}/api/`, { headers: token ? { authorization: `Bearer ${token}` } : {} })).status;
    const token = await client.accessToken();
    check('an access token of the organization is accepted', await ask(token), 200);
    check('a request without a token is rejected', await ask(), 401);
    const [head, , signature] = token.split('.');
    const claims = JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString());
    const altered = Buffer.from(JSON.stringify({ ...claims, sub: organization_id })).toString('base64url');
    check('a token with an altered claim is rejected', await ask(`${head}.${altered}.${signature}`), 401);
    const other = await registerOther(url);
    const { prefix, key } = await createMachine(account);
    check('an API key is not a token', await ask(key), 401);
    check('the token of an API key is accepted', await ask(await exchange(url, prefix, key)), 200);
    check('a token of another organization is rejected', await ask(other), 401);
  },
};

async function exchange(url: string, prefix: string, key: string): Promise<string> {
  const answer = await fetch(`${url}/oauth/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${prefix}:${key}`)}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });
  return ((await answer.json()) as { access_token: string }).access_token;
}

async function registerOther(url: string): Promise<string> {
  const answer = await fetch(`${url}/v1/auth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      email: 'other@example.com',
      password: 'correct horse battery staple',
      organization_name: 'Other',
    }),
  });
  return ((await answer.json()) as { access_token: string }).access_token;
}
