import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packagePath, unpackDebian } from '../bench/debian.ts';
import { makeFolder, startProgram, untilReady } from '../bench/start-process.ts';
import { freePort } from '../packages/server/test/ports.ts';
import { startWithApplication } from './application.ts';
import type { Proof } from './proof.ts';
import { allow, openBrowser, signIn } from './visitor.ts';

const MODULES = ['mpm_event', 'authn_core', 'authz_core', 'authz_user', 'dir', 'include', 'auth_openidc'];

interface Place {
  readonly folder: string;
  readonly port: number;
  readonly modules: string;
  readonly issuer: string;
  readonly client_id: string;
  readonly secret: string;
  readonly organization_id: string;
}

/** The page shows what the module passes to the site behind it. */
const configuration = (place: Place) => `
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
<Directory "${place.folder}/site">
  Options +Includes
  SetOutputFilter INCLUDES
</Directory>
OIDCProviderMetadataURL ${place.issuer}/.well-known/openid-configuration
OIDCClientID ${place.client_id}
OIDCClientSecret ${place.secret}
OIDCRedirectURI http://localhost:${place.port}/wiki/callback
OIDCCryptoPassphrase interop
OIDCScope "openid email organization"
OIDCPKCEMethod S256
OIDCRemoteUserClaim email
OIDCCacheShmMax 50
<Location /wiki>
  AuthType openid-connect
  Require claim org:${place.organization_id}
</Location>
<Location /wiki/other>
  AuthType openid-connect
  Require claim org:00000000-0000-7000-8000-000000000000
</Location>
`;

export const proof: Proof = {
  about: 'Apache with mod_auth_openidc protects a wiki; a user signs in through a browser',
  async run({ check }) {
    const packages = await unpackDebian('libapache2-mod-auth-openidc', 'apache2-bin');
    const port = await freePort();
    const site = `http://localhost:${port}`;
    const { issuer, application, secret, url, email, organization_id, client } = await startWithApplication({
      kind: 'web',
      redirect_uris: [`${site}/wiki/callback`],
    });
    const folder = makeFolder();
    // The workers of Apache run as www-data.
    chmodSync(folder, 0o755);
    for (const path of ['site/wiki/other']) mkdirSync(join(folder, path), { recursive: true });
    writeFileSync(join(folder, 'site/index.html'), 'open');
    writeFileSync(join(folder, 'site/wiki/index.html'), 'user <!--#echo var="REMOTE_USER" -->');
    writeFileSync(join(folder, 'site/wiki/other/index.html'), 'other');
    const config = join(folder, 'apache.conf');
    const modules = packagePath(packages, 'usr/lib/apache2/modules');
    const { client_id } = application;
    writeFileSync(config, configuration({ folder, port, modules, issuer, client_id, secret, organization_id }));
    const apache = startProgram(packagePath(packages, 'usr/sbin/apache2'), ['-D', 'FOREGROUND', '-f', config], {
      cwd: folder,
      env: packages.env,
    });
    await untilReady(`http://127.0.0.1:${port}/`, apache);

    const { page, faults } = await openBrowser();
    await page.goto(`${site}/wiki/`);
    check('the wiki sends the visitor to the service', new URL(page.url()).origin, url);
    await signIn(page, email);
    await allow(page);
    await page.waitForURL(`${site}/wiki/`);
    check('the wiki knows the user', (await page.textContent('body'))?.trim(), `user ${email}`);
    const other = await page.goto(`${site}/wiki/other/`);
    check('a page for another organization is not shown', other?.status(), 401);
    const { items } = await client.connectedApplications.list();
    check(
      'the account lists the application',
      items.map(({ name }) => name),
      ['Interop'],
    );
    check('no page of the service reported an error', faults, []);
  },
};
