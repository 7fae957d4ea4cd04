import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { entriesOf, type Format } from './formats.ts';
import { openFiles } from './import-fixture.ts';
import { openFile } from './open-file.ts';
import type { Entry } from './records.ts';

const files = openFiles();
afterAll(() => files.remove());

/** Splits the text into pieces of `size` bytes, so that boundaries fall everywhere. */
async function* pieces(text: string | Buffer, size: number): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text);
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
}

const collect = async (entries: AsyncIterable<Entry>): Promise<Entry[]> => {
  const all: Entry[] = [];
  for await (const entry of entries) all.push(entry);
  return all;
};
const read = (format: Format, text: string | Buffer, size = 7) => collect(entriesOf(format, pieces(text, size)));
const values = async (format: Format, text: string, size?: number) =>
  (await read(format, text, size)).map(({ value }) => value);

const USERS = [{ email: 'ä@example.com', name: 'Wörld "x" \\ ] } [ {', deep: [[{ users: [1] }]] }, { email: 'b' }, {}];

describe('the records of a file are independent of chunk boundaries', () => {
  it.each([1, 2, 3, 5, 64, 4096])('a file that is read %i bytes at a time yields the same records', async (size) => {
    const spaced = JSON.stringify(USERS, null, 2);
    expect(await values('auth0', spaced, size)).toEqual(USERS);
    expect(await values('auth0', USERS.map((user) => JSON.stringify(user)).join('\r\n\r\n'), size)).toEqual(USERS);
    const wrapped = JSON.stringify({
      a: 'users',
      b: { users: [0] },
      'us\\"ers': [1],
      users: USERS,
      c: [{ users: [2] }],
    });
    for (const format of ['keycloak', 'firebase'] as const) {
      expect(await values(format, wrapped, size)).toEqual(USERS);
      expect(await values(format, spaced, size)).toEqual(USERS);
      expect(await values(format, `\uFEFF \n${wrapped}`, size)).toEqual(USERS);
    }
    expect(await values('supabase', 'email,"na""me"\n"a\nb",\n"c","d,""e"""', size)).toEqual([
      { email: 'a\nb', 'na"me': '' },
      { email: 'c', 'na"me': 'd,"e"' },
    ]);
    expect(await values('auth0', `\uFEFF${JSON.stringify(USERS[0])}`, size)).toEqual([USERS[0]]);
    for (const end of ['\n', '\r\n', '\r']) {
      const rows = await read('supabase', ['email,name', 'a,"b"', '', '"c",d', 'e,'].join(end), size);
      expect(rows).toEqual([
        { at: 'line 2', value: { email: 'a', name: 'b' } },
        { at: 'line 4', value: { email: 'c', name: 'd' } },
        { at: 'line 5', value: { email: 'e', name: '' } },
      ]);
    }
  });

  it('an empty list has no records', async () => {
    expect(await values('auth0', '[ ]')).toEqual([]);
    expect(await values('firebase', '{"users":[\n]}')).toEqual([]);
  });

  it('a record that is not a user is returned with its position', async () => {
    expect(await read('auth0', '{"a":1}\nnot json\n[1]\n{"b":\n{"c":3}')).toEqual([
      { at: 'line 1', value: { a: 1 } },
      { at: 'line 2', value: undefined },
      { at: 'line 3', value: [1] },
      { at: 'line 4', value: undefined },
      { at: 'line 5', value: { c: 3 } },
    ]);
    expect(await read('firebase', '{"users":[{"a":1}, 5, "x,]", null, {"b" 2}, [{}], {"c":3} ]}')).toEqual([
      { at: 'users[0]', value: { a: 1 } },
      { at: 'users[1]', value: 5 },
      { at: 'users[2]', value: 'x,]' },
      { at: 'users[3]', value: null },
      { at: 'users[4]', value: undefined },
      { at: 'users[5]', value: [{}] },
      { at: 'users[6]', value: { c: 3 } },
    ]);
    const broken = Buffer.concat([Buffer.from('{"email":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}\n{"a":1}')]);
    expect((await read('auth0', broken)).map(({ value }) => value)).toEqual([undefined, { a: 1 }]);
  });
});

describe('a file with the wrong content is rejected', () => {
  it.each([
    ['auth0', '', 'it is empty'],
    ['auth0', ' \n ', 'it is empty'],
    ['auth0', 'email,name\na,b', 'it is not JSON'],
    ['keycloak', 'hello', 'it is not JSON'],
    ['keycloak', '{"realm":"x","clients":[]}', 'it contains no list named "users"'],
    ['firebase', '{"users":{"a":[1]}}', 'it contains no list named "users"'],
    ['firebase', '{"users":[{"a":1},{"b', 'it is incomplete, or not JSON'],
    ['firebase', '{"users":[{"a":1}]', 'it is incomplete, or not JSON'],
    ['auth0', '{"email":"a@example.com"}\n{"email":"b@exam', 'line 2, the last one, is incomplete or not JSON'],
    ['auth0', '[{"a":1}', 'it is incomplete, or not JSON'],
    ['auth0', '[{"a":1}]\n[{"b":2}]', 'there is data after the end of its list or of the document'],
    ['auth0', '[{"a":1}], {"b":2}', 'there is data after the end of its list or of the document'],
    ['auth0', '[{"a":1}]]', 'there is data after the end of its list or of the document'],
    [
      'firebase',
      '{"users":[{"a":1}]}\n{"users":[{"b":2}]}',
      'there is data after the end of its list or of the document',
    ],
    ['firebase', '{"users":[{"a":1}] {"b":2}}', 'there is data after the end of its list or of the document'],
    ['auth0', '[{"a":1}}', 'its list ends with the wrong bracket'],
    ['supabase', 'email\n"a@example.com" b\n', 'line 2 has characters after a closing quote'],
    ['supabase', 'email\na"b"@example.com\n', 'line 2 has a quote inside of a value'],
    ['supabase', 'id,phone\n1,2', 'it is neither JSON nor CSV with the column "email" in its header line'],
    ['supabase', 'PGDMP\0\x01', 'it is neither JSON nor CSV with the column "email" in its header line'],
    ['supabase', 'email\n"never closed\n', 'line 2 has a quote that is never closed'],
    ['supabase', Buffer.from('email\n\xff\xfe\n', 'latin1'), 'it is not UTF-8'],
  ] as const)('an export in the format %s with the text %j is rejected: %s', async (format, text, message) => {
    await expect(read(format, text)).rejects.toThrow(message);
  });

  it('a record of many megabytes is rejected, and not kept in memory', async () => {
    const endless = async function* (begin: string): AsyncGenerator<Buffer> {
      yield Buffer.from(begin);
      for (;;) yield Buffer.alloc(1024 * 1024, 'x');
    };
    const readEndless = (format: Format, begin: string) => collect(entriesOf(format, endless(begin)));
    await expect(readEndless('auth0', '{"a":1}\n{"email":"')).rejects.toThrow('line 2 is too long to be a user');
    await expect(readEndless('firebase', '{"users":[{},{"a":"')).rejects.toThrow('users[1] is too long to be a user');
    await expect(readEndless('firebase', '{"')).rejects.toThrow('users[0] is too long to be a user');
    await expect(readEndless('supabase', 'email\n"')).rejects.toThrow('line 2 is too long to be a user');
  });

  it('a record that is nested too deeply is unreadable, and the next one is read', async () => {
    const deep = '['.repeat(200_000) + ']'.repeat(200_000);
    const [first, second] = await read('auth0', `{"a":${deep}}\n{"b":2}`, 65_536);
    expect(first).toMatchObject({ at: 'line 1' });
    expect(second).toEqual({ at: 'line 2', value: { b: 2 } });
  });
});

describe('compressed files', () => {
  const packed = gzipSync('{"email":"a@example.com"}\n'.repeat(1000));

  it('a compressed file is decompressed, and the progress counts the bytes of the compressed file', async () => {
    let bytes = 0;
    const path = files.write('users.gz', packed);
    const entries = await collect(
      entriesOf(
        'auth0',
        openFile(path, (count) => (bytes += count)),
      ),
    );
    expect(entries).toHaveLength(1000);
    expect(bytes).toBe(packed.length);
  });

  it('a compressed file is rejected if it is truncated or damaged', async () => {
    const message = 'it cannot be unpacked: it is incomplete or corrupted';
    const cut = files.write('cut.gz', packed.subarray(0, -20));
    await expect(collect(entriesOf('auth0', openFile(cut)))).rejects.toThrow(message);
    const damaged = files.write('damaged.gz', Buffer.concat([packed.subarray(0, 15), Buffer.alloc(30, 0x55)]));
    await expect(collect(entriesOf('auth0', openFile(damaged)))).rejects.toThrow(message);
  });

  it('a file that does not exist rejects with ENOENT', async () => {
    await expect(collect(entriesOf('auth0', openFile(`${files.folder}/nothing`)))).rejects.toMatchObject({
      code: 'ENOENT',
    });
  });
});
