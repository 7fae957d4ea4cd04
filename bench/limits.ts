import { generateKeyPairSync, sign } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { hashArgon2 } from '../packages/server/src/platform/argon2/argon2.ts';
import { cores } from '../packages/server/src/platform/cores.ts';
import { type Contestant, requests, work } from './contestant.ts';
import type { DatabaseServer } from './database.ts';
import { request } from './load.ts';
import { root, startNode } from './start-process.ts';
import { atEnd } from './tidy.ts';

export const CONNECTIONS = 64;

export const BARE = 'bare Fastify route';
const SELECT = 'Fastify and one select';
export const ARGON2 = 'argon2id alone';
export const RS256 = 'RS256 alone, one thread';
export const RS256_ALL = 'RS256 alone, all cores';
export const HASH_AND_SIGNATURE = 'argon2id and RS256 alone, all cores';

const GET = request('GET', '/');

const portOf = async (started: { announced: Promise<unknown> }): Promise<number> =>
  ((await started.announced) as { port: number }).port;

export async function bareFastify(): Promise<Contestant> {
  const started = startNode([join(root, 'bench/limits/bare-fastify.mjs')]);
  const port = await portOf(started);
  return requests({ name: BARE, pids: [started.pid], port, connections: CONNECTIONS, next: () => GET });
}

export async function largeFastify(name: string, bytes: number): Promise<Contestant> {
  const started = startNode([join(root, 'bench/limits/bare-fastify.mjs')], { env: { BODY_BYTES: String(bytes) } });
  const port = await portOf(started);
  const asked = request('GET', '/large');
  return requests({ name, pids: [started.pid], port, connections: CONNECTIONS, next: () => asked });
}

export async function fastifySelect(server: DatabaseServer): Promise<Contestant> {
  const { config, env } = await server.create('limit_select');
  const client = new pg.Client(config);
  await client.connect();
  await client.query(`create table people (id integer primary key, name text not null);
    insert into people select n, md5(n::text) from generate_series(1, 10000) n; analyze people`);
  await client.end();
  const started = startNode([join(root, 'bench/limits/fastify-select.mjs')], { env });
  const port = await portOf(started);
  const pids = [started.pid, ...(server.pid === undefined ? [] : [server.pid])];
  return requests({ name: SELECT, pids, port, connections: CONNECTIONS, next: () => GET });
}

export const PASSWORD = 'correct horse battery staple';
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

export const hashPassword = (): Promise<string> => hashArgon2(PASSWORD, COST);

/** Password hashes with the parameters and the concurrency of the service, in separate threads as in the service. */
export const argon2 = (): Contestant => work({ name: ARGON2, atOnce: cores(), once: hashPassword });

export function rs256(): Contestant {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const text = Buffer.alloc(700, 'x');
  return work({ name: RS256, atOnce: 1, once: () => sign('RSA-SHA256', text, privateKey) });
}

const signInPool = promisify(sign);

/** Measures signatures of a text as long as an access token, computed in the thread pool as in the service. */
function signatures(): () => Promise<Buffer> {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const text = Buffer.alloc(700, 'x');
  return () => signInPool('RSA-SHA256', text, privateKey);
}

export const rs256Everywhere = (): Contestant => work({ name: RS256_ALL, atOnce: cores(), once: signatures() });

/** Measures a password hash followed by a signature, the least that every sign-in needs. */
export function hashAndSignature(): Contestant {
  const signed = signatures();
  // Twice as many as cores, so that a signature does not leave a core without a hash.
  return work({ name: HASH_AND_SIGNATURE, atOnce: 2 * cores(), once: () => hashPassword().then(signed) });
}

export async function insertAndCommit(server: DatabaseServer, connections: number): Promise<Contestant> {
  const { config } = await server.create(`limit_insert_${connections}`);
  const pool = new pg.Pool({ ...config, max: connections });
  // At the end the database may stop before its connections are closed.
  pool.on('error', () => {});
  atEnd(() => pool.end());
  await pool.query('create table rows (id bigint generated always as identity primary key, text text not null)');
  const query = { name: 'insert', text: 'insert into rows (text) values ($1)', values: ['x'.repeat(200)] };
  return work({
    name: `PostgreSQL insert and commit, ${connections === 1 ? 'one connection' : `${connections} connections`}`,
    atOnce: connections,
    here: 'load',
    pids: server.pid === undefined ? [] : [server.pid],
    once: () => pool.query(query),
  });
}
