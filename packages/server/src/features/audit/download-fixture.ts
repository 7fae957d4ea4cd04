import { createHmac } from 'node:crypto';
import { get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sql } from 'kysely';
import type { TestApp } from '../../../test/harness.ts';

export async function listen({ server }: TestApp): Promise<string> {
  await server.listen({ port: 0, host: '127.0.0.1' });
  return `http://127.0.0.1:${(server.server.address() as AddressInfo).port}`;
}

interface Download {
  readonly answer: IncomingMessage;
  /** Reads the rest of the body; rejects if the connection is aborted. */
  read(): Promise<string>;
  abort(): void;
}

export const startDownload = (
  url: string,
  access_token: string,
  query = '',
): { ready: Promise<Download>; abort(): void } => {
  const headers = { authorization: `Bearer ${access_token}` };
  const request = get(`${url}/v1/admin/audit-export${query}`, { headers, agent: false });
  const ready = new Promise<Download>((resolve, reject) => {
    request.on('error', reject);
    request.on('response', (answer) => {
      const read = async () => {
        let text = '';
        for await (const chunk of answer.setEncoding('utf8')) text += chunk;
        return text;
      };
      resolve({ answer, read, abort: () => void request.destroy() });
    });
  });
  ready.catch(() => {});
  return { ready, abort: () => void request.destroy() };
};

/** Inserts rows of this total size. Use far more than the socket buffers between server and client take. */
export const insertMegabytes = ({ deps }: TestApp, megabytes: number) =>
  sql`insert into audit_events (event_id, "timestamp", organization_id, actor_type, action, resource_type, resource_id, metadata, outcome)
    select gen_random_uuid(), '2029-03-03T03:03:03Z', gen_random_uuid(), 'system', 'test.big', 'test', repeat('x', 10000), '{}', 'success'
    from generate_series(1, ${megabytes * 100}::int)`.execute(deps.db);

/** The number of other database connections that have an open transaction. */
export async function countReaders({ deps }: TestApp): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and xact_start is not null`.execute(deps.db);
  return rows[0]!.count;
}

interface Parts {
  readonly lines: string[];
  readonly trailer: { _signature: string; _count: number };
  /** The signature of the lines under the given key. */
  readonly expected: string;
}

/** Parses an export by the specification alone, without the code under test. */
export function takeApart(text: string, key: string | Buffer): Parts {
  const at = text.lastIndexOf('\n', text.length - 2) + 1;
  const body = text.slice(0, at);
  const expected = `sha256=${createHmac('sha256', key).update(body, 'utf8').digest('hex')}`;
  return { lines: body.split('\n').slice(0, -1), trailer: JSON.parse(text.slice(at)), expected };
}
