import { randomBytes } from 'node:crypto';
import { LIMITS } from '@gatehouse/contract';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { insertSession } from '../../../test/harness.ts';
import { HOLLOW, png } from './bomb-fixture.ts';
import { form } from './form-fixture.ts';
import { drawAvatar } from './picture.ts';
import { encode, expectRefusal, noise, type Probe, plain, startProbe } from './probe-fixture.ts';

let probe: Probe;
beforeAll(async () => {
  probe = await startProbe();
});
afterAll(() => probe.app.close());

async function pixel(image: Buffer, left: number, top: number): Promise<number[]> {
  return [...(await sharp(image).extract({ left, top, width: 1, height: 1 }).raw().toBuffer())];
}
const near = (actual: number[], wanted: number[]) =>
  wanted.every((value, index) => Math.abs(value - actual[index]!) < 24);

const redAndBlue = (width: number, height: number) =>
  plain(width, height, 'red').composite([
    { input: { create: { width: width / 2, height, channels: 3, background: 'blue' } }, left: width / 2, top: 0 },
  ]);

describe('POST /users/me/avatar', () => {
  it.each(['png', 'jpeg', 'webp', 'gif'] as const)('makes a 256×256 WebP of a %s', async (format) => {
    const image = await probe.drawn(await encode(noise(320, 200), format));
    expect(await sharp(image).metadata()).toMatchObject({ format: 'webp', width: 256, height: 256, space: 'srgb' });
  });

  it('returns the public URL, with base URL and prefix', async () => {
    const answer = await probe.upload(await plain(300, 300).png().toBuffer());
    const { avatar_id } = await probe.userOf(probe.me.user_id);
    expect(avatar_id).toMatch(/^[0-9a-f]{64}$/);
    expect(answer.json()).toEqual({ avatar_url: `http://localhost:8080/v1/avatars/${avatar_id}.webp` });
    expect(answer.headers['cache-control']).toBe('no-store');
  });

  it('removes location, camera, color profile and comments', async () => {
    const content = await plain(400, 400)
      .withExif({ IFD0: { Make: 'SECRETCAM', Copyright: 'SECRET' }, IFD3: { GPSLatitude: '52/1 31/1 12/1' } })
      .withXmp('<x:xmpmeta xmlns:x="adobe:ns:meta/">SECRET</x:xmpmeta>')
      .withIccProfile('p3')
      .jpeg()
      .toBuffer();
    expect(content.includes('SECRETCAM')).toBe(true);
    const image = await probe.drawn(content);
    expect(image.includes('SECRET')).toBe(false);
    const { exif, xmp, icc, iptc, orientation } = await sharp(image).metadata();
    expect([exif, xmp, icc, iptc, orientation]).toEqual([undefined, undefined, undefined, undefined, undefined]);
  });

  it('rotates the picture upright', async () => {
    const content = await redAndBlue(400, 300).withMetadata({ orientation: 6 }).jpeg().toBuffer();
    const image = await probe.drawn(content);
    expect(near(await pixel(image, 128, 20), [254, 0, 0])).toBe(true);
    expect(near(await pixel(image, 128, 235), [0, 0, 254])).toBe(true);
  });

  it('crops to the center without distortion', async () => {
    const stripes = plain(900, 300, 'red').composite([
      { input: { create: { width: 300, height: 300, channels: 3, background: 'lime' } }, left: 300, top: 0 },
    ]);
    const image = await probe.drawn(await stripes.png().toBuffer());
    for (const [left, top] of [
      [4, 4],
      [251, 4],
      [4, 251],
      [251, 251],
      [128, 128],
    ] as const) {
      expect(near(await pixel(image, left, top), [0, 254, 0]), `${left},${top}`).toBe(true);
    }
  });

  it('takes the first frame of an animation', async () => {
    const frames = await Promise.all(['red', 'blue', 'lime'].map((colour) => plain(60, 60, colour).png().toBuffer()));
    for (const format of ['gif', 'webp'] as const) {
      const content = await sharp(frames, { join: { animated: true } })
        [format]()
        .toBuffer();
      const image = await probe.drawn(content);
      expect((await sharp(image).metadata()).pages ?? 1).toBe(1);
      expect(near(await pixel(image, 128, 128), [254, 0, 0]), format).toBe(true);
    }
  });

  it('keeps transparency', async () => {
    const clear = sharp({
      create: { width: 50, height: 50, channels: 4, background: { r: 255, g: 0, b: 0, alpha: 0.5 } },
    });
    const [red, , , alpha] = await pixel(await probe.drawn(await clear.png().toBuffer()), 128, 128);
    expect(red).toBeGreaterThan(240);
    expect(alpha).toBeGreaterThan(120);
    expect(alpha).toBeLessThan(136);
  });

  it.each([
    ['one pixel', () => plain(1, 1).png()],
    ['a long strip', () => noise(1500, 3).png()],
    ['grey', () => noise(100, 100).toColourspace('b-w').png()],
    ['16 bits grey', () => noise(100, 100).toColourspace('grey16').png()],
    ['16 bits', () => noise(100, 100).toColourspace('rgb16').png()],
    ['a palette', () => noise(100, 100).png({ palette: true })],
    ['interlaced', () => noise(100, 100).png({ progressive: true })],
    ['progressive', () => noise(100, 100).jpeg({ progressive: true })],
    ['CMYK', () => noise(100, 100).toColourspace('cmyk').jpeg()],
    ['24 megapixels', () => plain(6000, 4000).jpeg()],
  ])('accepts a picture with this property: %s', async (_name, make) => {
    const { format, width, height } = await sharp(await probe.drawn(await make().toBuffer())).metadata();
    expect([format, width, height]).toEqual(['webp', 256, 256]);
  });

  it('re-encodes a GIF that is also an HTML page to a plain picture', async () => {
    const gif = await plain(32, 32).gif().toBuffer();
    const image = await probe.drawn(Buffer.concat([gif, Buffer.from('<script>alert(1)</script>')]));
    expect(image.includes('script')).toBe(false);
    const commented = Buffer.from(gif);
    const comment = Buffer.from('!\xfe\x19<script>alert(1)</script>\0', 'latin1');
    const head = 13 + 3 * 2 ** ((commented[10]! & 7) + 1);
    const inside = Buffer.concat([commented.subarray(0, head), comment, commented.subarray(head)]);
    expect((await probe.drawn(inside)).includes('script')).toBe(false);
  });

  it('ignores file name and declared type', async () => {
    const content = await plain(20, 20).webp().toBuffer();
    for (const type of ['text/html', 'image/png', 'application/x-php', 'nonsense']) {
      expect((await probe.post(form({ content, type, filename: '../../x.php' }))).statusCode).toBe(200);
    }
  });

  it('ignores other fields of the form', async () => {
    const content = await plain(20, 20).png().toBuffer();
    const text = { name: 'comment', filename: null, content: 'hello' };
    expect((await probe.post(form(text, { content }, text))).statusCode).toBe(200);
  });

  it('accepts up to 5 MiB', async () => {
    const picture = await noise(64, 64).gif().toBuffer();
    const padded = (length: number) => Buffer.concat([picture, Buffer.alloc(length - picture.length)]);
    expect((await probe.upload(padded(LIMITS.avatarBytes))).statusCode).toBe(200);
    await expectRefusal(probe.upload(padded(LIMITS.avatarBytes + 1)), /^avatar: must be at most 5242880 bytes$/);
    await expectRefusal(probe.upload(padded(LIMITS.avatarBytes + 500_000)), /^avatar: must be at most 5242880 bytes$/);
    await expectRefusal(probe.upload(Buffer.alloc(12_000_000)), /^avatar: must be at most 5242880 bytes$/);
  });
});

describe('POST /users/me/avatar returns 400', () => {
  const picture = () => plain(20, 20).png().toBuffer();

  it('400 for an invalid form', async () => {
    const content = await picture();
    await expectRefusal(probe.post(form()), /^avatar: is required$/);
    await expectRefusal(probe.post(form({ name: 'photo', content })), /^avatar: is required$/);
    await expectRefusal(probe.post(form({ filename: null, content: 'x' })), /^avatar: must be a file$/);
    await expectRefusal(probe.post(form({ content }, { content })), /^avatar: must be the only file$/);
    await expectRefusal(probe.post(form({ content }, { name: 'other', content })), /^avatar: must be the only file$/);
    await expectRefusal(probe.upload(''), /^avatar: must not be empty$/);
  });

  it('400 for a body that is not a form', async () => {
    const content = await picture();
    const good = form({ content });
    const type = (value: string) => ({ 'content-type': value });
    await expectRefusal(probe.post({ payload: content, headers: type('image/png') }), /multipart\/form-data.*avatar/);
    await expectRefusal(
      probe.post({ payload: '{}', headers: type('application/json') }),
      /multipart\/form-data.*avatar/,
    );
    await expectRefusal(probe.post({ payload: good.payload, headers: type(';;;') }), /multipart\/form-data.*avatar/);
    await expectRefusal(
      probe.post({ payload: good.payload, headers: type('multipart/form-data') }),
      /multipart\/form-data.*avatar/,
    );
    await expectRefusal(
      probe.post({ ...good, headers: type('multipart/form-data; boundary=other') }),
      /multipart\/form-data.*avatar/,
    );
    await expectRefusal(probe.post({ payload: good.payload, headers: {} }), /multipart\/form-data.*avatar/);
    await expectRefusal(probe.post({ payload: '', headers: {} }), /multipart\/form-data.*avatar/);
    await expectRefusal(probe.post({ ...good, payload: '' }), /multipart\/form-data.*avatar/);
    for (const part of [0.2, 0.9, 0.99]) {
      const payload = good.payload.subarray(0, good.payload.length * part);
      await expectRefusal(probe.post({ ...good, payload }), /complete multipart\/form-data.*avatar/);
    }
  });

  it.each([
    ['SVG', async () => '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'],
    ['HTML', async () => '<!doctype html><script>alert(1)</script>'],
    ['PDF', async () => '%PDF-1.7\n'],
    ['TIFF', () => plain(20, 20).tiff().toBuffer()],
    ['AVIF', () => plain(20, 20).avif().toBuffer()],
    ['text', async () => 'hello'],
    ['one byte', async () => 'x'],
    ['BMP', async () => Buffer.from('BM6\0\0\0\0\0\0\0', 'latin1')],
    ['zeros', async () => Buffer.alloc(100)],
    ['a page that mentions a GIF', async () => '<p>GIF89a</p>'],
    ['another RIFF', async () => Buffer.from('RIFF\x24\0\0\0WAVEfmt \x10\0\0\0', 'latin1')],
  ])('400 for %s, whatever its declared type', async (_name, make) => {
    const content = await make();
    for (const type of ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/svg+xml']) {
      await expectRefusal(probe.post(form({ content, type })), /^avatar: must be a PNG, JPEG, WebP or GIF image$/);
    }
  });

  it.each(['png', 'jpeg', 'webp', 'gif'] as const)('400 for a truncated %s, wherever it is cut', async (format) => {
    for (const source of [noise(120, 480), noise(480, 120)]) {
      const content = await encode(source, format);
      for (const part of [0.0005, 0.3, 0.98]) {
        const length = Math.max(16, Math.floor(content.length * part));
        await expectRefusal(
          probe.upload(content.subarray(0, length)),
          /^avatar: must be a PNG, JPEG, WebP or GIF image that is whole/,
        );
      }
    }
  });

  it.each(['png', 'jpeg', 'webp', 'gif'] as const)(
    '400 or 200, but never 500, for a %s with flipped bytes',
    async (format) => {
      const content = await encode(noise(60, 60), format);
      for (let round = 0; round < 12; round++) {
        const broken = Buffer.from(content);
        for (const byte of randomBytes(1 + (round % 8)))
          broken[16 + ((byte * 131 + round * 17) % (content.length - 16))]! ^= 1 + byte;
        const { statusCode } = await probe.upload(broken);
        expect([200, 400]).toContain(statusCode);
      }
    },
  );

  it.each(HOLLOW)('400 for a %s of huge dimensions, before its pixels are decoded', async (_format, make, side) => {
    expect(make(side).length).toBeLessThan(50_000);
    await expectRefusal(probe.upload(make(side)), /^avatar: must be at most 50 megapixels$/);
    // A file of an allowed size gets past the size check and is rejected because it has no pixel data.
    await expectRefusal(probe.upload(make(100)), /that is whole and undamaged$/);
  });

  it('400 for more than 50 megapixels, or for a picture that needs as much memory', async () => {
    await expectRefusal(probe.upload(png(60_000, 60_000)), /^avatar: must be at most 50 megapixels$/);
    await expectRefusal(probe.upload(png(7_100, 7_100)), /^avatar: must be at most 50 megapixels$/);
    const deep = await plain(5100, 5000).ensureAlpha().toColourspace('rgb16').png({ compressionLevel: 1 }).toBuffer();
    await expectRefusal(probe.upload(deep), /^avatar: must be at most 25 megapixels$/);
  });

  it('a rejected upload keeps the previous picture', async () => {
    const session = await insertSession(probe.app);
    await probe.drawn(await picture(), session);
    const before = await probe.rowsOf(session.user_id);
    await expectRefusal(probe.upload('hello', session), /^avatar: /);
    expect(await probe.rowsOf(session.user_id)).toEqual(before);
    expect(await probe.auditOf(session.user_id)).toHaveLength(1);
  });
});

describe('the decoder queue', () => {
  const inLine = async (whose: readonly string[]) => {
    const content = await plain(9, 9).png().toBuffer();
    const drawings = await Promise.allSettled(whose.map((who) => drawAvatar(content, who)));
    return drawings.map((one) => (one.status === 'fulfilled' ? 'drawn' : one.reason.code));
  };

  it('eight pictures wait while one is decoded; the ninth gets 429', async () => {
    const users = Array.from({ length: 10 }, (_, index) => `person ${index}`);
    expect(await inLine(users)).toEqual([...Array(9).fill('drawn'), 'rate_limited']);
  });

  it('pictures of one user take at most half of the queue', async () => {
    const whose = [...Array(6).fill('greedy'), 'modest'];
    expect(await inLine(whose)).toEqual([...Array(5).fill('drawn'), 'rate_limited', 'drawn']);
  });
});

it('POST /users/me/avatar: no request in this file is logged as an error', () => {
  expect(probe.app.logs.filter(({ level }) => Number(level) >= 50)).toEqual([]);
});
