import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { freePort } from '../packages/server/test/ports.ts';
import { type Contestant, requests } from './contestant.ts';
import { Skipped, unpackDebian } from './debian.ts';
import { type Glewlwyd, issuerOf, openDatabase, SCOPES, startGlewlwyd, urlOf } from './glewlwyd.ts';
import { CONNECTIONS, PASSWORD } from './limits.ts';
import { request } from './load.ts';
import { HASHERS } from './operations.ts';
import { codeForm } from './peers.ts';
import { makeFolder } from './start-process.ts';

// Glewlwyd from Debian, a peer that is written in C, with the configuration of `glewlwyd.ts`. Set here: refresh tokens
// that are valid once, as in Gatehouse (Glewlwyd allows reuse by default), and a public client: POST /auth/refresh
// has no client to authenticate either, and Glewlwyd would compute PBKDF2 of the client secret for every request.

export const GLEWLWYD_USERINFO = 'glewlwyd userinfo, SQLite';
export const GLEWLWYD_SIGN_IN = 'glewlwyd auth, SQLite';
export const GLEWLWYD_REFRESH = 'glewlwyd refresh_token, SQLite';

const CLIENT_ID = 'bench';
const REDIRECT_URI = 'https://client.example.com/callback';
const VERIFIER = 'a-verifier-of-the-bench-0123456789-abcdefghijklmnop';
const USERNAME = 'user';
const SESSION_COOKIE = /^set-cookie: GLEWLWYD2_SESSION_ID=\w+/im;

interface Running {
  readonly port: number;
  readonly pids: readonly number[];
  readonly create: Glewlwyd['create'];
  readonly database: string;
}

/** Returns no contestant, and prints the reason, if this machine cannot get the packages. */
async function startContestant(contestantOf: (peer: Running) => Promise<Contestant>): Promise<Contestant[]> {
  try {
    const packages = await unpackDebian('glewlwyd');
    const [port, folder] = [await freePort(), makeFolder()];
    const plugin = { 'auth-type-refresh-enabled': true, 'refresh-token-one-use': 'always' };
    const { started, create } = await startGlewlwyd(packages, { port, folder, plugin });
    return [await contestantOf({ port, pids: [started.pid], create, database: join(folder, 'glewlwyd.db') })];
  } catch (error) {
    if (!(error instanceof Skipped)) throw error;
    console.error(`  glewlwyd is not measured: ${error.message}`);
    return [];
  }
}

const emailOf = (username: string): string => `${username}@example.com`;

const createUser = ({ create }: Running, username: string): Promise<void> =>
  create('user/', {
    username,
    name: 'Newcomer',
    email: emailOf(username),
    password: PASSWORD,
    scope: SCOPES,
    enabled: true,
  });

const credentials = (username: string): string => JSON.stringify({ username, password: PASSWORD });

interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
}

async function send(url: string, status: number, options: RequestInit): Promise<Response> {
  const answer = await fetch(url, { redirect: 'manual', ...options });
  if (answer.status !== status) throw new Error(`glewlwyd answered ${answer.status}: ${await answer.text()}`);
  return answer;
}

/** Signs one user in and exchanges a code for each session. Glewlwyd requires `state` and `nonce`. */
async function openSessions(peer: Running, count: number): Promise<Tokens[]> {
  const scope = SCOPES.join(' ');
  await createUser(peer, USERNAME);
  const client = { client_id: CLIENT_ID, name: CLIENT_ID, confidential: false, redirect_uri: [REDIRECT_URI] };
  await peer.create('client/', { ...client, authorization_type: ['code', 'refresh_token'], scope: [], enabled: true });
  const json = { 'content-type': 'application/json' };
  const api = `${urlOf(peer.port)}/api`;
  const signedIn = await send(`${api}/auth/`, 200, { method: 'POST', headers: json, body: credentials(USERNAME) });
  const cookie = signedIn.headers.getSetCookie()[0]!.split(';')[0]!;
  const body = JSON.stringify({ scope });
  await send(`${api}/auth/grant/${CLIENT_ID}`, 200, { method: 'PUT', headers: { ...json, cookie }, body });
  const authorizationRequest = new URLSearchParams({
    response_type: 'code',
    client_id: CLIENT_ID,
    redirect_uri: REDIRECT_URI,
    scope,
    state: 'bench',
    nonce: 'bench',
    g_continue: '',
    code_challenge: createHash('sha256').update(VERIFIER).digest('base64url'),
    code_challenge_method: 'S256',
  });
  const issuer = issuerOf(peer.port);
  const openSession = async (): Promise<Tokens> => {
    const { headers } = await send(`${issuer}/auth?${authorizationRequest}`, 302, { headers: { cookie } });
    const code = new URL(headers.get('location')!).searchParams.get('code')!;
    const form = codeForm({ code, client_id: CLIENT_ID, redirect_uri: REDIRECT_URI, code_verifier: VERIFIER });
    const answer = await send(`${issuer}/token`, 200, { method: 'POST', headers: FORM, body: form });
    return (await answer.json()) as Tokens;
  };
  return Promise.all(Array.from({ length: count }, openSession));
}

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

const STORAGE = 'one thread per connection, one connection to SQLite for all of them';

export const glewlwydUserinfo = (): Promise<Contestant[]> =>
  startContestant(async (peer) => {
    const [tokens] = await openSessions(peer, 1);
    const headers = { authorization: `Bearer ${tokens!.access_token}` };
    const expected = await (await send(`${issuerOf(peer.port)}/userinfo`, 200, { headers })).text();
    const { email } = JSON.parse(expected) as { email?: string };
    if (email !== emailOf(USERNAME)) throw new Error(`glewlwyd answered ${expected}`);
    const prepared = request('GET', '/api/oidc/userinfo', headers);
    return requests({
      name: GLEWLWYD_USERINFO,
      note: `verifies the RS256 signature of the access token, reads from the database whether it was revoked, and the user; ${STORAGE}.`,
      ...peer,
      connections: CONNECTIONS,
      next: () => prepared,
      read: (_, { body }) => body === expected,
    });
  });

/** One account per connection, as for better-auth. */
export const glewlwydSignIn = (): Promise<Contestant[]> =>
  startContestant(async (peer) => {
    const users = Array.from({ length: HASHERS }, (_, index) => `${USERNAME}-${index}`);
    for (const username of users) await createUser(peer, username);
    const lanes = users.map((username) => request('POST', '/api/auth/', {}, credentials(username)));
    return requests({
      name: GLEWLWYD_SIGN_IN,
      note: `PBKDF2-HMAC-SHA256 with ${await readIterations(peer.database)} iterations, its default; writes a session to the database, signs nothing; ${STORAGE}.`,
      ...peer,
      connections: HASHERS,
      next: (lane) => lanes[lane]!,
      read: (_, { head }) => SESSION_COOKIE.test(head),
    });
  });

/** A hash ends with a comma and the number of its iterations, except that of the first administrator. */
const readIterations = (database: string): Promise<string> =>
  openDatabase(
    database,
    `print(db.execute("select guw_password from g_user_password where guw_password like '%,%'").fetchone()[0].split(",")[1])`,
  );

export const glewlwydRefresh = (): Promise<Contestant[]> =>
  startContestant(async (peer) => {
    const requestWith = (refresh_token: string) =>
      request(
        'POST',
        '/api/oidc/token',
        FORM,
        `grant_type=refresh_token&client_id=${CLIENT_ID}&refresh_token=${refresh_token}`,
      );
    const current = (await openSessions(peer, CONNECTIONS)).map(({ refresh_token }) => refresh_token);
    return requests({
      name: GLEWLWYD_REFRESH,
      note: `signs the access token with RS256 and 2048 bits, stores it and replaces the refresh token; each statement is a transaction on disk; ${STORAGE}.`,
      ...peer,
      connections: CONNECTIONS,
      next: (lane) => requestWith(current[lane]!),
      read: (lane, { body }) => {
        const { access_token, refresh_token } = JSON.parse(body) as Partial<Tokens>;
        if (access_token?.split('.').length !== 3 || !refresh_token || refresh_token === current[lane]) return false;
        current[lane] = refresh_token;
        return true;
      },
    });
  });
