import { createHash, sign } from 'node:crypto';
import { sql } from 'kysely';
import { type Authenticator, type Keyholder, withPasskey } from '../../packages/server/test/authenticator.ts';
import { type Answer, createBrowser, registerUser, type TestUser } from '../../packages/server/test/browser.ts';
import { type Replicas, startReplicas } from '../../packages/server/test/replicas.ts';
import { changedTables, differs, stateOf } from './unchanged-fixture.ts';

export interface Keys {
  readonly replicas: Replicas;
  /** Who has a passkey, and is not to lose it. */
  readonly victim: Keyholder;
  /** Who has one too, and means harm. */
  readonly thief: Keyholder;
  /** Who is signed in and has none. */
  readonly newcomer: TestUser;
}

export async function startKeys(servers: number): Promise<Keys> {
  const replicas = await startReplicas(servers, { LIMIT_PASSKEY_PER_ADDRESS: '100000/1h' });
  const url = replicas.either(0);
  const [victim, thief, newUser] = await Promise.all([withPasskey(url), withPasskey(url), registerUser(url)]);
  return { replicas, victim, thief, newcomer: newUser };
}

// biome-ignore lint/suspicious/noExplicitAny: options as they come over the wire
export type Options = any;

export const ORIGIN = 'http://localhost:8080';
export const base64url = (bytes: Uint8Array | string): string => Buffer.from(bytes).toString('base64url');
export const sha256 = (bytes: Uint8Array | string): Buffer => createHash('sha256').update(bytes).digest();

/** What a browser says of a ceremony, with what is to be wrong about it; undefined takes a field away. */
export const clientData = (type: string, { challenge }: Options, changes: object = {}): Buffer =>
  Buffer.from(JSON.stringify({ type, challenge, origin: ORIGIN, crossOrigin: false, ...changes }));

export const FLAGS = { up: 1, uv: 4, be: 8, bs: 16, at: 64, ed: 128 };
/** There, and recognized. */
export const USUAL = FLAGS.up | FLAGS.uv;

interface Data {
  readonly rpIdHash?: Buffer;
  readonly flags?: number;
  readonly counter?: number;
  /** After the counter. */
  readonly rest?: Buffer;
}

export function authData({ rpIdHash = sha256('localhost'), flags = USUAL, counter = 1, rest }: Data = {}): Buffer {
  const count = Buffer.alloc(4);
  count.writeUInt32BE(counter);
  return Buffer.concat([rpIdHash, Buffer.of(flags), count, rest ?? Buffer.alloc(0)]);
}

/** Signed by this very key, whatever it is that is signed: only a look at what it says can refuse it. */
export function signedBy(
  { id, private_key }: Pick<Authenticator, 'id' | 'private_key'>,
  client: Buffer,
  auth: Buffer,
  response: Record<string, unknown> = {},
) {
  const signature = sign('sha256', Buffer.concat([auth, sha256(client)]), private_key);
  return {
    id,
    rawId: id,
    type: 'public-key',
    clientExtensionResults: {},
    response: {
      clientDataJSON: base64url(client),
      authenticatorData: base64url(auth),
      signature: base64url(signature),
      ...response,
    },
  };
}

/** What no refused ceremony may change. */
const KEPT = ['users', 'memberships', 'passkeys', 'sessions', 'identities', 'trusted_browsers'];

/** Refused, and nothing is left of it but a challenge that is spent and, of a sign-in, a row in the trail. */
export interface Refused {
  readonly status: number;
  readonly code: string;
  /** Why, as the trail has it; undefined: nothing is told. */
  readonly reason?: string | undefined;
  /** False: there was no challenge of ours to spend, or it was spent before. */
  readonly spends?: boolean;
}

/** Undefined: it was so. */
export async function refusal(
  { replicas: { database } }: Keys,
  { status, code, reason, spends = true }: Refused,
  ask: () => Promise<Answer>,
): Promise<string | undefined> {
  const look = () => Promise.all([stateOf(database, KEPT), counts(database)]);
  const [before, counted] = await look();
  const answer = await ask();
  const [after, recounted] = await look();
  const last = reason === undefined ? undefined : await lastLogin(database);
  return differs(
    {
      status: answer.status,
      code: answer.json?.error?.code,
      cookies: answer.set_cookies.map((line) => line.split('=')[0]),
      changed: changedTables(before, after),
      told: recounted.told - counted.told,
      spent: recounted.spent - counted.spent,
      reason: last && `${last.outcome} ${(last.metadata as { reason?: string }).reason}`,
    },
    {
      status,
      code,
      cookies: [],
      changed: [],
      told: reason === undefined ? 0 : 1,
      spent: spends ? 1 : 0,
      reason: reason && `failure ${reason}`,
    },
  );
}

async function counts({ db }: Replicas['database']): Promise<{ told: number; spent: number }> {
  const { rows } = await sql<{ told: number; spent: number }>`
    select (select count(*) from audit_events) as told, (select count(*) from passkey_challenges) as spent`.execute(db);
  return { told: Number(rows[0]!.told), spent: Number(rows[0]!.spent) };
}

const lastLogin = ({ db }: Replicas['database']) =>
  db
    .selectFrom('audit_events')
    .select(['outcome', 'metadata'])
    .where('action', '=', 'auth.passkey.login')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();

export const signIn = (url: string, credential: unknown): Promise<Answer> =>
  createBrowser(url).post('/auth/passkey/login/complete', { credential });
