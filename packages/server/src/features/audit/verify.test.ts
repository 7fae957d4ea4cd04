import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { verifyExport } from './verify.ts';

const KEY = { name: 'AUDIT_EXPORT_KEY', key: Buffer.from('a key') };
const OTHER = { name: 'JWT_SECRET', key: Buffer.from('another') };

const row = (id: number, resource_id = 'x') =>
  JSON.stringify({
    id,
    event_id: '01990000-0000-7000-8000-000000000001',
    timestamp: `2030-01-01T00:00:${String(id % 60).padStart(2, '0')}.000Z`,
    resource_id,
  });
const lines = (count: number) => Array.from({ length: count }, (_, index) => row(index * 2 + 1));

const signatureOf = (body: string) => `sha256=${createHmac('sha256', KEY.key).update(body).digest('hex')}`;
const exported = (rows: readonly string[]) => {
  const body = rows.map((line) => `${line}\n`).join('');
  return `${body}${JSON.stringify({ _signature: signatureOf(body), _count: rows.length })}\n`;
};

async function* cut(text: string, size = 64 * 1024): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
const verify = (text: string, keys = [KEY], size?: number) => verifyExport(cut(text, size), keys);

describe('audit verify', () => {
  it.each([1, 2, 7, 64, 65_536])('accepts an unchanged file, read in chunks of %i bytes', async (size) => {
    for (const count of [0, 1, 2, 30]) {
      expect(await verify(exported(lines(count)), [KEY], size)).toEqual({
        rows: count,
        first: count === 0 ? undefined : '2030-01-01T00:00:01.000Z',
        last: count === 0 ? undefined : `2030-01-01T00:00:${String((count * 2 - 1) % 60).padStart(2, '0')}.000Z`,
        signedWith: 'AUDIT_EXPORT_KEY',
        fault: undefined,
      });
    }
  });

  it('accepts lines of any length and language', async () => {
    for (const length of [300, 400, 500, 511, 512, 513, 5_000, 200_000]) {
      for (const size of [100, 512, 4_096]) {
        const rows = [row(1), row(2, 'ü'.repeat(length)), row(3, 'x'.repeat(length))];
        expect(await verify(exported(rows), [KEY], size)).toMatchObject({ rows: 3, fault: undefined });
      }
    }
  });

  it('reads a line without a line feed in constant memory', async () => {
    const chunk = Buffer.alloc(1024 * 1024, 'x');
    async function* endless() {
      yield Buffer.from(`${row(1)}\n{"id":2,`);
      for (let sent = 0; sent < 300; sent++) yield chunk;
    }
    const before = process.memoryUsage().arrayBuffers;
    expect((await verifyExport(endless(), [KEY])).fault).toContain('incomplete');
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(50 * 1024 * 1024);
  });

  it('accepts a signature of any of the given keys, and names the matching key', async () => {
    expect(await verify(exported(lines(3)), [OTHER, KEY])).toMatchObject({ signedWith: 'AUDIT_EXPORT_KEY' });
  });

  it('accepts a file without the final line feed', async () => {
    expect(await verify(exported(lines(3)).trimEnd())).toMatchObject({ rows: 3, fault: undefined });
  });

  const good = exported(lines(10));
  const damaged: [string, string, RegExp][] = [
    ['an empty file', '', /is empty/],
    ['cut off between lines', good.slice(0, good.indexOf('\n', 500) + 1), /it is incomplete/],
    ['cut off within a line', good.slice(0, 700), /it is incomplete/],
    ['cut off within the trailer', good.slice(0, -3), /it is incomplete/],
    ['another format', 'hello\nworld\n', /not an audit export/],
    ['another row at the end', `${good}${row(99)}\n`, /ends with line 11: the lines after it were added/],
    ['two files in one', good + exported(lines(3)), /another trailer in line 11/],
    ['a row changed', good.replace('"resource_id":"x"', '"resource_id":"y"'), /a row was changed, or .* another key/],
    ['a row removed', good.replace(`${row(5)}\n`, ''), /1 of 10 rows are missing/],
    ['a row added', good.replace(`${row(5)}\n`, `${row(5)}\n${row(6)}\n`), /there are 1 too many/],
    ['two rows swapped', good.replace(`${row(5)}\n${row(7)}\n`, `${row(7)}\n${row(5)}\n`), /id in line 4/],
    ['a line overwritten', good.replace(row(5), '{}'), /Line 3 does not have the format of a row/],
    ['an empty line for a row', good.replace(row(5), ''), /Line 3 does not have the format of a row/],
    ['other line endings', good.replaceAll('\n', '\r\n'), /CR LF/],
    ['another number in the trailer', good.replace('"_count":10', '"_count":11'), /trailer was changed/],
    ['a signature of another kind', good.replace('sha256=', 'sha512='), /it is incomplete/],
  ];
  it.each(damaged)('reports a damaged file: %s', async (_name, text, sentence) => {
    for (const size of [5, 65_536]) {
      const { fault, signedWith } = await verify(text, [KEY], size);
      expect(fault).toMatch(sentence);
      expect(signedWith).toBeUndefined();
    }
  });

  it('reports a file that was signed with another key', async () => {
    const { fault, rows } = await verify(good, [OTHER]);
    expect(fault).toMatch(/another key than JWT_SECRET/);
    expect(rows).toBe(10);
  });

  it('rejects a valid signature over descending ids', async () => {
    expect(await verify(exported([row(3), row(2)]))).toMatchObject({ fault: expect.stringContaining('line 2') });
  });
});
