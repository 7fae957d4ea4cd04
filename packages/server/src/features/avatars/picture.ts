import type Sharp from 'sharp';
import type { Metadata, SharpOptions } from 'sharp';
import { ServiceError, tooMany } from '../../domain/service-error.ts';
import { createBounded, NoRoom } from '../../platform/bounded.ts';

const SIDE = 256;
const MAX_PIXELS = 50_000_000;
/** What a decoder may have to hold at once: 50 megapixels with four channels of one byte. */
const MAX_DECODED_BYTES = 4 * MAX_PIXELS;
/** A strip longer than this, at full height, is squeezed; nobody will see it. */
const MAX_LENGTH = 128 * SIDE;
const TIMEOUT = 5;

type Format = 'png' | 'jpeg' | 'webp' | 'gif';

const LOADERS = [
  'VipsForeignLoadPngBuffer',
  'VipsForeignLoadJpegBuffer',
  'VipsForeignLoadWebpBuffer',
  'VipsForeignLoadNsgifBuffer',
];

/** `error` and not `warning`: half of the pictures in the world have something that a decoder remarks on. */
const INPUT: SharpOptions = { autoOrient: true, failOn: 'error', limitInputPixels: MAX_PIXELS, pages: 1 };

// The memory and the thread that a decoder takes are the process's, so its line is too.
const line = createBounded({ atOnce: 1, waiting: 8 });

/**
 * Any picture → 256×256 WebP in sRGB, cut to its middle and turned upright. It is drawn anew from pixels, so nothing else
 * that was in the file is in the result: no place, no camera, no script.
 */
export async function drawAvatar(upload: Buffer, who: string): Promise<Buffer> {
  const format = sniff(upload);
  if (!format) throw invalid('must be a PNG, JPEG, WebP or GIF image');
  return line
    .run(who, () => draw(upload, format))
    .catch((error) => {
      throw error instanceof NoRoom ? tooMany(1) : error;
    });
}

const invalid = (message: string, cause?: unknown) =>
  new ServiceError('invalid_input', `avatar: ${message}`, { cause });

/** By its first bytes; what the client calls it does not matter. */
function sniff(bytes: Buffer): Format | undefined {
  const start = bytes.toString('latin1', 0, 16);
  if (start.startsWith('\x89PNG\r\n\x1a\n')) return 'png';
  if (start.startsWith('\xff\xd8\xff')) return 'jpeg';
  if (start.startsWith('RIFF') && start.startsWith('WEBPVP8', 8)) return 'webp';
  if (/^GIF8[79]a/.test(start)) return 'gif';
  return undefined;
}

async function draw(upload: Buffer, format: Format): Promise<Buffer> {
  const sharp = await loadSharp();
  try {
    const seen = await sharp(upload, INPUT).metadata();
    if (seen.format !== format) throw new Error(`begins like ${format}, is ${seen.format}`);
    if (seen.width * seen.height > maxPixels(seen)) throw tooManyPixels(maxPixels(seen));
    // Whole, not cut: a decoder that is asked for the middle alone would not notice that the end is missing.
    const { data, info } = await sharp(upload, INPUT)
      .timeout({ seconds: TIMEOUT })
      .resize({ ...coveringSize(seen.autoOrient), fit: 'fill' })
      .toColourspace('srgb')
      .raw()
      .toBuffer({ resolveWithObject: true });
    const { width, height, channels } = info;
    return await sharp(data, { raw: { width, height, channels } })
      .timeout({ seconds: TIMEOUT })
      .extract({ left: (width - SIDE) >> 1, top: (height - SIDE) >> 1, width: SIDE, height: SIDE })
      .webp({ quality: 82 })
      .toBuffer();
  } catch (error) {
    throw error instanceof ServiceError ? error : refusal(error);
  }
}

let loading: Promise<typeof Sharp> | undefined;

/** When it is first needed. Of all that it can open, only what reads the four formats from memory is left. */
const loadSharp = (): Promise<typeof Sharp> => {
  loading ??= import('sharp').then(({ default: sharp }) => {
    sharp.cache(false);
    sharp.concurrency(1);
    sharp.block({ operation: ['VipsForeignLoad'] });
    sharp.unblock({ operation: LOADERS });
    return sharp;
  });
  return loading;
};

const tooManyPixels = (most: number, cause?: unknown) =>
  invalid(`must be at most ${Math.floor(most / 1e6)} megapixels`, cause);

/** A progressive JPEG is held as coefficients of two bytes until its last scan is read. */
function maxPixels({ channels, depth, format, isProgressive }: Metadata): number {
  const bytes = depth === 'uchar' && !(format === 'jpeg' && isProgressive) ? 1 : 2;
  return Math.min(MAX_PIXELS, MAX_DECODED_BYTES / (channels * bytes));
}

/** The shorter side fits exactly. */
function coveringSize({ width, height }: { width: number; height: number }) {
  const scale = SIDE / Math.min(width, height);
  const fit = (length: number) => Math.min(Math.round(length * scale), MAX_LENGTH);
  return { width: fit(width), height: fit(height) };
}

/** Whatever a decoder stumbles over is in the file. */
function refusal(error: unknown): ServiceError {
  const message = error instanceof Error ? error.message : '';
  if (message.includes('pixel limit')) return tooManyPixels(MAX_PIXELS, error);
  if (message.includes('timeout')) return invalid('takes too long to decode', error);
  return invalid('must be a PNG, JPEG, WebP or GIF image that is whole and undamaged', error);
}
