import { deflateSync } from 'node:zlib';

/**
 * Images whose header declares a square of any size, without pixel data: a decoder that reads the pixels fails. The
 * number is the side length: the longest that the format allows, or nearly.
 */
export const HOLLOW = [
  ['PNG', (side: number) => png(side, side), 60_000],
  ['GIF', gif, 0xffff],
  ['JPEG', jpeg, 0xffdc],
  ['WebP', webp, 0x3fff],
] as const;

/** A GIF whose first LZW code is invalid. */
function gif(side: number): Buffer {
  const size = Buffer.alloc(4);
  size.writeUInt16LE(side, 0);
  size.writeUInt16LE(side, 2);
  return Buffer.concat([
    latin1('GIF89a'),
    size,
    latin1('\x80\0\0\0\0\0\xff\xff\xff,\0\0\0\0'),
    size,
    latin1('\0\x02\x01\x3c\0;'),
  ]);
}

/** A JPEG that ends where its first scan begins. */
function jpeg(side: number): Buffer {
  const size = Buffer.alloc(4);
  size.writeUInt16BE(side, 0);
  size.writeUInt16BE(side, 2);
  return Buffer.concat([
    Buffer.from('ffd8ffdb004300', 'hex'),
    Buffer.alloc(64, 1),
    Buffer.from('ffc0000b08', 'hex'),
    size,
    Buffer.from('01011100ffda0008010100003f00', 'hex'),
  ]);
}

/** A lossless WebP without pixel data. */
function webp(side: number): Buffer {
  const size = Buffer.alloc(4);
  size.writeUInt32LE(((side - 1) | ((side - 1) << 14)) >>> 0);
  return Buffer.concat([latin1('RIFF\x14\0\0\0WEBPVP8L\x07\0\0\0\x2f'), size, latin1('\x07\x10\0')]);
}

const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');

/** A PNG with this many rows of zero pixels, whatever the declared height. */
export function png(width: number, height: number, rows = 10): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const pixels = deflateSync(Buffer.alloc((1 + 3 * width) * rows));
  return Buffer.concat([
    latin1('\x89PNG\r\n\x1a\n'),
    chunk('IHDR', header),
    chunk('IDAT', pixels),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

export function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

/** `zlib.crc32` is not in Node 20 yet. */
function crc32(bytes: Buffer): number {
  let crc = ~0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}
