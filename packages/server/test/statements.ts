// Loaded before each test file: records the statements that tests send to PostgreSQL, for `system/statements.test.ts`.
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, inject } from 'vitest';

const file = join(inject('statements'), String(process.pid));

/** Shared by all test files of a test worker. */
const worker = globalThis as { sentStatements?: Sent };

interface Sent {
  readonly known: Set<string>;
  readonly unwritten: string[];
}

const textOf = (query: unknown): unknown => (typeof query === 'string' ? query : (query as { text?: unknown })?.text);

function watchQueries(): Sent {
  const sent: Sent = { known: new Set(), unwritten: [] };
  const { prototype } = pg.Client as unknown as { prototype: { query(...args: unknown[]): unknown } };
  const { query } = prototype;
  prototype.query = function watched(...args) {
    const text = textOf(args[0]);
    if (typeof text === 'string' && !sent.known.has(text)) {
      sent.known.add(text);
      if (/^\s*(select|insert|update|delete|with)\b/i.test(text)) sent.unwritten.push(text);
    }
    return query.apply(this, args);
  };
  return sent;
}

worker.sentStatements ??= watchQueries();
const { unwritten } = worker.sentStatements;

afterAll(() => {
  appendFileSync(
    file,
    unwritten
      .splice(0)
      .map((text) => `${JSON.stringify(text)}\n`)
      .join(''),
  );
});
