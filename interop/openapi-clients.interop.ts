import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { packagePath, Skipped, unpackDebian } from '../bench/debian.ts';
import { makeFolder, root, runNode, runProgram, startNode, startProgram } from '../bench/start-process.ts';
import { PASSWORD, register, startWithOwner } from './account.ts';
import { installNpm, type Proof } from './proof.ts';

/** The last release of the generator that contains its program: later ones download it from Maven. */
const GENERATOR = '@openapitools/openapi-generator-cli@1.0.18-4.3.1';

/** The compiler must accept this program, and reject the lines that are marked. */
const TYPESCRIPT = `
import createClient from 'openapi-fetch';
import type { components, paths } from './gatehouse.d.ts';

const { BASE, ORGANIZATION, PASSWORD, OWNER, MFA_USER } = process.env as Record<string, string>;
const client = createClient<paths>({ baseUrl: BASE });

async function signIn(email: string): Promise<components['schemas']['LoginResponse']> {
  const { data, error } = await client.POST('/v1/auth/login', { body: { email, password: PASSWORD! } });
  if (error) throw new Error(error.error.code);
  return data;
}

// @ts-expect-error: the password is required
const incomplete: components['schemas']['LoginRequest'] = { email: OWNER! };
const owner = await signIn(OWNER!);
// @ts-expect-error: only one of the two shapes has a token
owner.access_token;
if (owner.status !== 'success') throw new Error(owner.status);
const token: string = owner.access_token;
const claims = JSON.parse(atob(token.split('.')[1]!)) as components['schemas']['AccessTokenClaims'];
const { data } = await client.GET('/v1/orgs/{org_id}/members', {
  params: { path: { org_id: ORGANIZATION! }, query: { page: 1, page_size: 10 } },
  headers: { Authorization: \`Bearer \${token}\` },
});
const pending = await signIn(MFA_USER!);
console.log(JSON.stringify({ claims: claims.org, members: data?.total, pending: pending.status }));
void incomplete;
`;

const GO = `package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"gatehouse"
)

var client = gatehouse.NewAPIClient(gatehouse.NewConfiguration())

func signIn(email string) interface{ GetStatus() string } {
	request := *gatehouse.NewLoginRequest(email, os.Getenv("PASSWORD"))
	response, _, err := client.PasswordsApi.SignInWithPassword(context.Background()).LoginRequest(request).Execute()
	if err != nil {
		panic(err)
	}
	return response.LoginResponseInterface
}

func main() {
	owner := signIn(os.Getenv("OWNER")).(*gatehouse.LoginSuccess)
	signedIn := context.WithValue(context.Background(), gatehouse.ContextAccessToken, owner.AccessToken)
	members, _, err := client.MembersApi.ListMembers(signedIn, owner.User.OrganizationId).PageSize(10).Execute()
	if err != nil {
		panic(err)
	}
	pending := signIn(os.Getenv("MFA_USER")).(*gatehouse.MfaRequired)
	result, _ := json.Marshal(map[string]interface{}{
		"expires_in": owner.ExpiresIn, "members": members.Total, "pending": pending.MfaToken != ""})
	fmt.Println(string(result))
}
`;

async function compileTypeScript(folder: string, document: string): Promise<string> {
  writeFileSync(join(folder, 'openapi.json'), document);
  writeFileSync(join(folder, 'main.mts'), TYPESCRIPT);
  const bin = createRequire(join(folder, 'index.js')).resolve('openapi-typescript/package.json');
  await runNode([join(bin, '../bin/cli.js'), 'openapi.json', '-o', 'gatehouse.d.ts'], { cwd: folder });
  const types = join(root, 'node_modules/@types');
  const options = ['--strict', '--module', 'nodenext', '--target', 'es2022', '--skipLibCheck', '--types', 'node'];
  await runNode([join(root, 'node_modules/typescript/bin/tsc'), ...options, '--typeRoots', types, 'main.mts'], {
    cwd: folder,
  });
  return join(folder, 'main.mjs');
}

/** Generates a client for Go from the document in the form of OpenAPI 3.0, and compiles a program with it. */
async function compileGo(document: string): Promise<string> {
  if (spawnSync('java', ['-version']).status !== 0) throw new Skipped('this machine has no Java, for the generator');
  const tools = await installNpm(GENERATOR, '@apiture/openapi-down-convert@0.14');
  const go = await unpackDebian('golang-go', 'golang-golang-x-oauth2-dev');
  const folder = makeFolder();
  writeFileSync(join(folder, 'openapi.json'), document);
  const modules = join(tools, 'node_modules');
  const convert = createRequire(join(tools, 'index.js')).resolve('@apiture/openapi-down-convert/package.json');
  const { bin } = createRequire(import.meta.url)(convert) as { bin: Record<string, string> };
  const script = join(convert, '..', Object.values(bin)[0]!);
  await runNode([script, '--input', 'openapi.json', '--output', 'openapi-3.0.json'], { cwd: folder });
  const jar = join(modules, '@openapitools/openapi-generator-cli/bin/openapi-generator.jar');
  const properties = ['--additional-properties', 'packageName=gatehouse,enumClassPrefix=true'];
  const options = ['-i', 'openapi-3.0.json', '-g', 'go-experimental', '-o', 'src/gatehouse', ...properties];
  await runProgram('java', ['-jar', jar, 'generate', ...options], { cwd: folder });
  mkdirSync(join(folder, 'src/main'));
  writeFileSync(join(folder, 'src/main/main.go'), GO);
  const compiler = packagePath(go, 'usr/lib/go-1.19/bin/go');
  await runProgram(compiler, ['build', '-o', 'client', 'main'], {
    cwd: folder,
    env: {
      GO111MODULE: 'off',
      CGO_ENABLED: '0',
      GOROOT: join(compiler, '../..'),
      GOCACHE: join(folder, 'cache'),
      GOPATH: `${folder}:${packagePath(go, 'usr/share/gocode')}`,
    },
  });
  return join(folder, 'client');
}

async function registerWithMfa(url: string): Promise<string> {
  const { client, email } = await register(url, 'second-factor@example.com');
  const { secret } = await client.mfa.setUp();
  const { stdout } = spawnSync(process.execPath, [join(root, 'scripts/totp.mjs'), secret], { encoding: 'utf8' });
  await client.mfa.enable(stdout.trim());
  return email;
}

export const proof: Proof = {
  about: 'clients generated from /openapi.json, for TypeScript and for Go, compile and sign in',
  async run({ check }) {
    const folder = await installNpm('openapi-typescript@7', 'openapi-fetch@0.17');
    const account = await startWithOwner();
    const env = {
      BASE: account.url,
      ORGANIZATION: account.organization_id,
      OWNER: account.email,
      PASSWORD,
      MFA_USER: await registerWithMfa(account.url),
    };
    const document = await (await fetch(`${account.url}/openapi.json`)).text();

    const script = await compileTypeScript(folder, document);
    check(
      'openapi-typescript: signs in, reads the claims, lists members',
      await startNode([script], { env }).announced,
      {
        claims: account.organization_id,
        members: 1,
        pending: 'mfa_required',
      },
    );

    const program = await compileGo(document);
    check('OpenAPI Generator for Go: signs in, lists members', await startProgram(program, [], { env }).announced, {
      expires_in: 900,
      members: 1,
      pending: true,
    });
  },
};
