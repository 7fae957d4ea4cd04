import { deflateSync } from 'node:zlib';
import { LIMITS } from '@gatehouse/contract';
import sharp from 'sharp';
import { chunk, HOLLOW, png } from '../../packages/server/src/features/avatars/bomb-fixture.ts';

export const BOUNDARY = 'a-boundary-7f3a';

const part = (headers: string, content: Buffer | string): Buffer =>
  Buffer.concat([
    Buffer.from(`--${BOUNDARY}\r\n${headers}\r\n\r\n`),
    Buffer.from(content as string),
    Buffer.from('\r\n'),
  ]);
const end = Buffer.from(`--${BOUNDARY}--\r\n`);
const disposition = (more: string): string => `Content-Disposition: form-data; ${more}`;

export const fileForm = (content: Buffer | string, filename = 'me.png'): Buffer =>
  Buffer.concat([part(disposition(`name="avatar"; filename="${filename}"`), content), end]);

interface Form {
  readonly name: string;
  readonly body: Buffer | string;
  readonly type?: string;
}

export function brokenForms(picture: Buffer): Form[] {
  const whole = fileForm(picture);
  const file = part(disposition('name="avatar"; filename="me.png"'), picture);
  const field = part(disposition('name="other"'), 'x');
  return [
    { name: 'no boundary', body: whole, type: 'multipart/form-data' },
    { name: 'an empty boundary', body: whole, type: 'multipart/form-data; boundary=' },
    { name: 'another boundary', body: whole, type: 'multipart/form-data; boundary=other' },
    { name: 'a boundary of 10,000 letters', body: whole, type: `multipart/form-data; boundary=${'x'.repeat(10_000)}` },
    { name: 'a boundary that breaks the line', body: whole, type: 'multipart/form-data; boundary="a\\b"' },
    { name: 'said to be a mixture', body: whole, type: `multipart/mixed; boundary=${BOUNDARY}` },
    { name: 'said to be JSON', body: whole, type: 'application/json' },
    { name: 'said to be a picture', body: picture, type: 'image/png' },
    { name: 'nothing', body: '' },
    { name: 'no end', body: whole.subarray(0, -6) },
    { name: 'no start', body: whole.subarray(30) },
    { name: 'only an end', body: end },
    { name: '10,000 fields', body: Buffer.concat([...Array<Buffer>(10_000).fill(field), file, end]) },
    {
      name: '10,000 files',
      body: Buffer.concat([...Array<Buffer>(10_000).fill(part(disposition('name="avatar"; filename="a"'), 'x')), end]),
    },
    { name: 'two files', body: Buffer.concat([file, file, end]) },
    {
      name: 'a file and a field of its name',
      body: Buffer.concat([file, part(disposition('name="avatar"'), 'x'), end]),
    },
    { name: 'a field in place of the file', body: Buffer.concat([part(disposition('name="avatar"'), picture), end]) },
    {
      name: 'a file by another name',
      body: Buffer.concat([part(disposition('name="avatar[]"; filename="a"'), picture), end]),
    },
    { name: 'an empty file', body: fileForm('') },
    {
      name: 'headers of 100 KB',
      body: Buffer.concat([
        part(`X: ${'x'.repeat(100_000)}\r\n${disposition('name="avatar"; filename="a"')}`, picture),
        end,
      ]),
    },
    {
      name: 'no blank line',
      body: `--${BOUNDARY}\r\n${disposition('name="avatar"; filename="a"')}\r\n--${BOUNDARY}--\r\n`,
    },
    { name: 'no disposition', body: Buffer.concat([part('Content-Type: image/png', picture), end]) },
    {
      name: 'a form within the form',
      body: Buffer.concat([
        part(
          `${disposition('name="avatar"; filename="a"')}\r\nContent-Type: multipart/mixed; boundary=inner`,
          `--inner\r\n${disposition('file; filename="b"')}\r\n\r\nx\r\n--inner--`,
        ),
        end,
      ]),
    },
    {
      name: 'a field of 100 KB',
      body: Buffer.concat([part(disposition('name="other"'), 'x'.repeat(100_000)), file, end]),
    },
    {
      name: 'one byte too large',
      body: fileForm(Buffer.concat([picture, Buffer.alloc(LIMITS.avatarBytes + 1 - picture.length)])),
    },
    { name: 'far too large', body: fileForm(Buffer.alloc(3 * LIMITS.avatarBytes)) },
    { name: 'megabytes of dashes', body: Buffer.alloc(4 * 1024 * 1024, '-') },
    { name: 'megabytes of boundaries that are none', body: `\r\n--${BOUNDARY}x`.repeat(200_000) },
  ];
}

/** File names that point elsewhere. They are ignored. */
export const FILE_NAMES = [
  '../../../etc/passwd',
  '..\\\\..\\\\boot.ini',
  '/dev/null',
  'a\0.png',
  'x.svg',
  '.htaccess',
  'CON',
  'ä\u202egnp.exe',
  '%2e%2e%2f',
  'a'.repeat(3_000),
  '\\"'.repeat(1_500),
];

const SVG = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script><image href="file:///etc/passwd"/></svg>';
const ENTITIES = `<?xml version="1.0"?><!DOCTYPE s [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><svg xmlns="http://www.w3.org/2000/svg">&b;</svg>`;
const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');

export async function notDrawable(): Promise<[string, Buffer][]> {
  const small = (format: 'png' | 'jpeg' | 'webp' | 'gif' | 'tiff' | 'avif') =>
    plain(40, 30).toFormat(format).toBuffer();
  const whole = await Promise.all(
    (['png', 'jpeg', 'webp', 'gif'] as const).map(
      async (format) => [format, await noise(90, 70).toFormat(format).toBuffer()] as const,
    ),
  );
  return [
    ...HOLLOW.map(([name, make, side]): [string, Buffer] => [`a hollow ${name} of ${side} by ${side}`, make(side)]),
    // Without GIF, which contains its size twice.
    ...HOLLOW.filter(([name]) => name !== 'GIF').map(([name, make]): [string, Buffer] => [
      `a hollow ${name} of no size`,
      make(0),
    ]),
    ['a PNG of one line, 2^31 - 1 wide', header(0x7fffffff, 1)],
    ['a PNG of 2^31', header(0x80000000, 0x80000000)],
    ['a PNG of 60,000 by 60,000 with pixels', png(60_000, 60_000, 40)],
    ['an SVG', latin1(SVG)],
    ['an SVG with entities', latin1(ENTITIES)],
    ['an SVG that begins like a GIF', latin1(`GIF89a${SVG}`)],
    ['a script that begins like a GIF', latin1('GIF89a/*\0\0*/=alert(1)//;')],
    ['a page', latin1('<!doctype html><script>alert(1)</script>')],
    ['a document', latin1('%PDF-1.7\n1 0 obj\n<<>>\nendobj\n')],
    ['a TIFF', await small('tiff')],
    ['an AVIF', await small('avif')],
    ['a bitmap', latin1(`BM${'\0'.repeat(60)}`)],
    ['a program', latin1('\x7fELF\x02\x01\x01')],
    ['an archive', latin1('PK\x03\x04')],
    ['one byte', latin1('\x89')],
    ['a signature alone', latin1('\x89PNG\r\n\x1a\n')],
    ...whole.flatMap(([format, bytes]) =>
      [0.2, 0.5, 0.8].map((share): [string, Buffer] => [
        `${share * 100} % of a ${format}`,
        bytes.subarray(0, Math.floor(bytes.length * share)),
      ]),
    ),
  ];
}

/** Images that can be decoded. The result must contain nothing but the pixels. */
export async function drawable(): Promise<[string, Buffer][]> {
  const picture = await plain(60, 40).png().toBuffer();
  const jpeg = await plain(60, 40).jpeg().toBuffer();
  const packed = deflateSync(Buffer.alloc(32 << 20), { level: 1 });
  const gif = await plain(8, 8).gif({ effort: 1 }).toBuffer();
  return [
    ['a PNG with a page behind it', Buffer.concat([picture, latin1('<script>alert("PLANTED")</script>')])],
    ['a JPEG with an archive behind it', Buffer.concat([jpeg, latin1('PK\x03\x04PLANTED')])],
    [
      'a JPEG with a comment',
      Buffer.concat([jpeg.subarray(0, 2), latin1('\xff\xfe\0\x20<script>PLANTED</script>      '), jpeg.subarray(2)]),
    ],
    ['a PNG with 32 MB of text, packed', withChunk(picture, 'zTXt', Buffer.concat([latin1('PLANTED\0\0'), packed]))],
    [
      'a PNG with a packed profile of 32 MB',
      withChunk(picture, 'iCCP', Buffer.concat([latin1('PLANTED\0\0'), packed])),
    ],
    [
      'a PNG with 20,000 chunks',
      Array.from({ length: 20 }).reduce<Buffer>(
        (bytes) => withChunk(bytes, 'tEXt', latin1('k\0PLANTED'), 1_000),
        picture,
      ),
    ],
    ['a GIF of 3,000 frames', frames(gif, 3_000)],
  ];
}

const plain = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: '#3a7bd5' } });
export const noise = (width: number, height: number) =>
  sharp(Buffer.from(Array.from({ length: width * height * 3 }, (_, index) => (index * 7919 * (index % 13)) & 0xff)), {
    raw: { width, height, channels: 3 },
  });

/** Replaces the header of `png` with this size and a valid checksum. */
function header(width: number, height: number): Buffer {
  const ihdr = Buffer.alloc(13);
  ihdr.writeUInt32BE(width, 0);
  ihdr.writeUInt32BE(height, 4);
  ihdr.set([8, 2, 0, 0, 0], 8);
  const tail = png(1, 1).subarray(33);
  return Buffer.concat([latin1('\x89PNG\r\n\x1a\n'), chunk('IHDR', ihdr), tail]);
}

const withChunk = (picture: Buffer, type: string, data: Buffer, times = 1): Buffer =>
  Buffer.concat([picture.subarray(0, 33), ...Array<Buffer>(times).fill(chunk(type, data)), picture.subarray(33)]);

/** Repeats the only frame. Its image begins at the first comma after the palette. */
function frames(gif: Buffer, count: number): Buffer {
  const start = gif.indexOf(0x2c, 13 + 3 * 2 ** ((gif[10]! & 7) + 1));
  const frame = gif.subarray(start, -1);
  return Buffer.concat([gif.subarray(0, start), ...Array<Buffer>(count).fill(frame), latin1(';')]);
}
