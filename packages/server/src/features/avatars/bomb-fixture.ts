import { deflateSync } from 'node:zlib';

/** Headers that promise a picture of 60,000 × 60,000 and more, with next to nothing behind them. */
export const BOMBS: Record<string, () => Buffer> = {
  PNG: () => png(60_000, 60_000),
  GIF: () =>
    Buffer.from(
      'GIF89a\xff\xff\xff\xff\x80\0\0\0\0\0\xff\xff\xff,\0\0\0\0\xff\xff\xff\xff\0\x02\x02D\x01\0;',
      'latin1',
    ),
  JPEG: () =>
    Buffer.concat([
      Buffer.from('ffd8ffdb004300', 'hex'),
      Buffer.alloc(64, 1),
      Buffer.from('ffc0000b08ffdcffdc01011100ffda0008010100003f00d2cf20ffd9', 'hex'),
    ]),
  // 16,383 × 16,383, which is all that the format knows.
  WebP: () =>
    Buffer.from('RIFF\x1a\0\0\0WEBPVP8L\x0d\0\0\0\x2f\xfe\xbf\xff\x0f\x07\x10\xfd\x8f\xfe\x07\x22\xa2\0', 'latin1'),
};

/** A PNG whose pixels are all zero, as far as it goes. */
export function png(width: number, height: number, rows = 10): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const pixels = deflateSync(Buffer.alloc((1 + 3 * width) * rows));
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', pixels),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
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
