import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../packages/server/test/ports.ts';
import { type Contestant, requests } from './contestant.ts';
import type { DatabaseServer } from './database.ts';
import { CONNECTIONS, PASSWORD } from './limits.ts';
import { request } from './load.ts';
import { HASHERS } from './operations.ts';
import { root, runNpm, type Started, startNode } from './start-process.ts';

export const BETTER_AUTH_SESSION = 'better-auth get-session';
const BETTER_AUTH_CACHED = 'better-auth get-session, cookie cache on';
export const BETTER_AUTH_SIGN_IN = 'better-auth sign-in/email';
export const BETTER_AUTH_SIGN_UP = 'better-auth sign-up/email';
export const OIDC_USERINFO = 'oidc-provider userinfo, in memory';
export const OIDC_REFRESH = 'oidc-provider refresh_token, in memory';
export const OIDC_CODE = 'oidc-provider authorization_code, in memory';
/** Peers that sign the access token too, as Gatehouse does; by default oidc-provider signs only the ID token. */
export const OIDC_REFRESH_JWT = `${OIDC_REFRESH}, JWT access token`;
export const OIDC_CODE_JWT = `${OIDC_CODE}, JWT access token`;

const folder = join(root, 'bench/peers');

/** Installs the peers from their own lock file, unless that file is unchanged since the last installation. */
export async function installPeers(): Promise<void> {
  const lock = createHash('sha256')
    .update(readFileSync(join(folder, 'package-lock.json')))
    .digest('hex');
  const stamp = join(folder, 'node_modules/.stamp');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return;
  console.error('Installing the peers …');
  await runNpm(['ci', '--ignore-scripts', '--legacy-peer-deps', '--no-audit', '--no-fund', '--loglevel=error'], folder);
  writeFileSync(stamp, lock);
}

interface Peer {
  readonly started: Started;
  readonly port: number;
  readonly pids: readonly number[];
}

async function startPeer(file: string, settings: Record<string, string>): Promise<Peer & { output: unknown }> {
  const port = await freePort();
  const env = { NODE_ENV: 'production', PORT: String(port), ...settings };
  const started = startNode([join(folder, file)], { cwd: folder, env });
  return { started, port, pids: [started.pid], output: await started.announced };
}

let databases = 0;

async function startBetterAuth(server: DatabaseServer, settings: Record<string, string> = {}): Promise<Peer> {
  const { env } = await server.create(`better_auth_${++databases}`);
  return startBetterAuthOn({ ...env, MIGRATE: '1', ...settings }, server);
}

async function startBetterAuthOn(env: Record<string, string>, server: DatabaseServer): Promise<Peer> {
  const peer = await startPeer('better-auth.mjs', env);
  return { ...peer, pids: [...peer.pids, ...(server.pid === undefined ? [] : [server.pid])] };
}

let userCount = 0;
const newUser = () => {
  userCount++;
  return { name: `Newcomer ${userCount}`, email: `newcomer-${userCount}@example.com`, password: PASSWORD };
};

async function signUp({ port }: Peer, body: object): Promise<string> {
  const origin = `http://127.0.0.1:${port}`;
  const answer = await fetch(`${origin}/api/auth/sign-up/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`better-auth answered ${answer.status}: ${await answer.text()}`);
  return answer.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ');
}

async function getSession(name: string, peer: Peer): Promise<Contestant> {
  const prepared = request('GET', '/api/auth/get-session', { cookie: await signUp(peer, newUser()) });
  return requests({ name, ...peer, connections: CONNECTIONS, next: () => prepared });
}

interface SignedIn {
  readonly client: { readonly client_id: string; readonly client_secret: string };
  /** Parameters that every code exchange contains. */
  readonly exchange: Readonly<Record<string, string>>;
  readonly sessions: readonly { readonly access_token: string; readonly refresh_token: string }[];
}

interface OidcOptions {
  readonly jwt?: boolean;
}

async function startOidcProvider(users: number, { jwt = false }: OidcOptions = {}): Promise<Peer & SignedIn> {
  const settings = { SESSIONS: String(users), ...(jwt && { JWT: '1' }) };
  const { output, ...peer } = await startPeer('oidc-provider.mjs', settings);
  return { ...peer, ...(output as SignedIn) };
}

export async function peersOfSession(server: DatabaseServer): Promise<Contestant[]> {
  const oidc = await startOidcProvider(1);
  const prepared = request('GET', '/me', { authorization: `Bearer ${oidc.sessions[0]!.access_token}` });
  return [
    await getSession(BETTER_AUTH_SESSION, await startBetterAuth(server)),
    await getSession(BETTER_AUTH_CACHED, await startBetterAuth(server, { COOKIE_CACHE: '1' })),
    requests({ name: OIDC_USERINFO, ...oidc, connections: CONNECTIONS, next: () => prepared }),
  ];
}

/** One account per connection: creating more accounts is slow, and each connection signs in to its own. */
export async function peersOfLogin(server: DatabaseServer): Promise<Contestant[]> {
  const peer = await startBetterAuth(server);
  const users = Array.from({ length: HASHERS }, newUser);
  await Promise.all(users.map((user) => signUp(peer, user)));
  const lanes = users.map(({ email, password }) =>
    request('POST', '/api/auth/sign-in/email', {}, JSON.stringify({ email, password })),
  );
  return [requests({ name: BETTER_AUTH_SIGN_IN, ...peer, connections: HASHERS, next: (lane) => lanes[lane]! })];
}

export async function peersOfRegister(server: DatabaseServer): Promise<Contestant[]> {
  const peer = await startBetterAuth(server);
  const next = () => request('POST', '/api/auth/sign-up/email', {}, JSON.stringify(newUser()));
  return [requests({ name: BETTER_AUTH_SIGN_UP, ...peer, connections: HASHERS, next })];
}

export const clientHeaders = (client_id: string, client_secret: string) => ({
  authorization: `Basic ${btoa(`${encodeURIComponent(client_id)}:${encodeURIComponent(client_secret)}`)}`,
  'content-type': 'application/x-www-form-urlencoded',
});

export async function peersOfRefresh(options: OidcOptions = {}): Promise<Contestant[]> {
  const { client, sessions, ...peer } = await startOidcProvider(CONNECTIONS, options);
  const headers = clientHeaders(client.client_id, client.client_secret);
  const requestWith = (token: string) =>
    request('POST', '/token', headers, `grant_type=refresh_token&refresh_token=${token}`);
  const lanes = sessions.map(({ refresh_token }) => requestWith(refresh_token));
  return [
    requests({
      name: options.jwt ? OIDC_REFRESH_JWT : OIDC_REFRESH,
      ...peer,
      connections: CONNECTIONS,
      next: (lane) => lanes[lane]!,
      read: (lane, { body }) => {
        lanes[lane] = requestWith((JSON.parse(body) as { refresh_token: string }).refresh_token);
      },
    }),
  ];
}

/** The code exchange of oidc-provider and, with its default tokens, user info. */
export async function peersOfApplications(codesPerSecond: number, options: OidcOptions = {}): Promise<Contestant[]> {
  const { client, sessions, exchange, ...peer } = await startOidcProvider(1, options);
  const headers = clientHeaders(client.client_id, client.client_secret);
  let left: Buffer[] = [];
  const codes = requests({
    name: options.jwt ? OIDC_CODE_JWT : OIDC_CODE,
    ...peer,
    connections: CONNECTIONS,
    async prepare(seconds) {
      const count = Math.ceil(codesPerSecond * seconds) + CONNECTIONS;
      const issued = (await (await fetch(`http://127.0.0.1:${peer.port}/codes/${count}`)).json()) as string[];
      left = issued.map((code) => request('POST', '/token', headers, codeForm({ code, ...exchange })));
    },
    next: () => nextOf(left),
  });
  if (options.jwt) return [codes];
  const userinfo = request('GET', '/me', { authorization: `Bearer ${sessions[0]!.access_token}` });
  return [requests({ name: OIDC_USERINFO, ...peer, connections: CONNECTIONS, next: () => userinfo }), codes];
}

export const codeForm = (form: Readonly<Record<string, string>>): string =>
  new URLSearchParams({ grant_type: 'authorization_code', ...form }).toString();

/** Takes a prepared request, which can be sent once. */
export function nextOf(left: Buffer[]): Buffer {
  const prepared = left.pop();
  if (!prepared) throw new Error('there were too few codes: take fewer seconds');
  return prepared;
}
