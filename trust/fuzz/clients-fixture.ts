import { sql } from 'kysely';
import type { TestDatabase } from '../../packages/server/test/database.ts';
import type { Account } from './service-fixture.ts';
import type { Line } from './sockets-fixture.ts';

export type Limit = 'headers' | 'request' | 'idle' | 'stuck';

export interface SlowClient {
  readonly name: string;
  readonly limit: Limit;
  /** What the client sends at once. */
  readonly says: (account: Account) => string;
  /** What the client sends repeatedly after `says`. */
  readonly drips?: string;
  /** Whether the client reads no response. */
  readonly deaf?: true;
  /** The number of responses before the connection is closed. Default: none. An error response is not counted. */
  readonly answers?: number;
}

const HOST = 'Host: x\r\n';
const post = (path: string, headers: string): string =>
  `POST ${path} HTTP/1.1\r\n${HOST}Content-Type: application/json\r\n${headers}\r\n`;
const signedIn = ({ access_token }: Account): string => `Authorization: Bearer ${access_token}\r\n`;

export const SLOW_CLIENTS: readonly SlowClient[] = [
  { name: 'says nothing', limit: 'headers', says: () => '' },
  { name: 'sends half of the method', limit: 'headers', says: () => 'GE' },
  { name: 'sends half of the request line', limit: 'headers', says: () => 'GET /healthz HT' },
  { name: 'says half its headers', limit: 'headers', says: () => `GET /healthz HTTP/1.1\r\n${HOST}X: ` },
  {
    name: 'says its headers byte by byte',
    limit: 'headers',
    says: () => `GET /healthz HTTP/1.1\r\n${HOST}X: `,
    drips: 'x',
  },
  { name: 'says line breaks for ever', limit: 'headers', says: () => '', drips: '\r\n' },
  {
    name: 'announces a body and sends none',
    limit: 'request',
    says: () => post('/v1/auth/login', 'Content-Length: 20\r\n'),
  },
  {
    name: 'sends a body byte by byte',
    limit: 'request',
    says: () => post('/v1/auth/login', 'Content-Length: 100000\r\n'),
    drips: ' ',
  },
  {
    name: 'sends chunks of a byte',
    limit: 'request',
    says: () => post('/v1/auth/password/forgot', 'Transfer-Encoding: chunked\r\n'),
    drips: '1\r\n \r\n',
  },
  {
    name: 'asks whether it may go on, and does not',
    limit: 'request',
    says: () => post('/v1/auth/login', 'Expect: 100-continue\r\nContent-Length: 20\r\n'),
    answers: 1,
  },
  {
    name: 'sends a picture byte by byte',
    limit: 'request',
    says: (account) =>
      `POST /v1/users/me/avatar HTTP/1.1\r\n${HOST}${signedIn(account)}Content-Type: multipart/form-data; boundary=x\r\nContent-Length: 100000\r\n\r\n`,
    drips: '-',
  },
  {
    name: 'sends a body where none is asked for',
    limit: 'request',
    says: () => `GET /healthz HTTP/1.1\r\n${HOST}Content-Length: 100000\r\n\r\n`,
    drips: 'x',
    answers: 1,
  },
  {
    name: 'has had its answer, and stays',
    limit: 'idle',
    says: () => `GET /healthz HTTP/1.1\r\n${HOST}\r\n`,
    answers: 1,
  },
  {
    name: 'asks for much and reads nothing',
    limit: 'stuck',
    says: (account) => `GET /v1/feature-flags HTTP/1.1\r\n${HOST}${signedIn(account)}\r\n`.repeat(12),
    deaf: true,
  },
];

export function drip({ socket, closed }: Line, bytes: string, interval: number): void {
  const timer = setInterval(() => socket.write(bytes), interval);
  void closed.then(() => clearInterval(timer));
}

/** Inserts flags of this total size, so that a response exceeds all buffers. */
export const plantFlags = ({ db }: TestDatabase, megabytes: number) =>
  sql`insert into feature_flags (flag_key, organization_id, enabled, value, updated_at)
    select 'much.' || number, null, true, jsonb_build_object('text', repeat('x', 16000)), now()
    from generate_series(1, ${megabytes * 64}::int) number`.execute(db);
