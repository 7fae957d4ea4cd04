import type Sharp from 'sharp';
import type { Metadata, SharpOptions } from 'sharp';
import { ServiceError, tooMany } from '../../domain/kernel/service-error.ts';
import { createBounded, NoRoom } from '../../platform/bounded.ts';

const SIDE_PX = 256;
const MAX_PIXELS = 50_000_000;
/** Memory that a decoder may need at once: 50 megapixels with four channels of one byte. */
const MAX_DECODED_BYTES = 4 * MAX_PIXELS;
/** A longer side is scaled down to this length. The distortion does not matter, because only the center is kept. */
const MAX_LENGTH_PX = 128 * SIDE_PX;
const TIMEOUT_SECONDS = 5;

type Format = 'png' | 'jpeg' | 'webp' | 'gif';

const LOADERS = [
  'VipsForeignLoadPngBuffer',
  'VipsForeignLoadJpegBuffer',
  'VipsForeignLoadWebpBuffer',
  'VipsForeignLoadNsgifBuffer',
];

/** `error`, not `warning`: many valid pictures in use make a decoder warn. */
const INPUT: SharpOptions = { autoOrient: true, failOn: 'error', limitInputPixels: MAX_PIXELS, pages: 1 };

// One queue per process, because all decoders of a process share its memory and threads.
const decoderQueue = createBounded({ atOnce: 1, waiting: 8 });

/** Any picture → 256×256 WebP in sRGB. Re-encoded from pixels: no metadata, location or script of the upload stays. */
export async function drawAvatar(upload: Buffer, who: string): Promise<Buffer> {
  const format = sniff(upload);
  if (!format) throw invalid('must be a PNG, JPEG, WebP or GIF image');
  return decoderQueue
    .run(who, () => draw(upload, format))
    .catch((error) => {
      throw error instanceof NoRoom ? tooMany(1) : error;
    });
}

const invalid = (message: string, cause?: unknown) =>
  new ServiceError('invalid_input', `avatar: ${message}`, { cause });

/** Detects the format by the first bytes; name and content type of the upload are ignored. */
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
    const metadata = await sharp(upload, INPUT).metadata();
    if (metadata.format !== format) throw new Error(`begins like ${format}, is ${metadata.format}`);
    if (metadata.width * metadata.height > maxPixels(metadata)) throw tooManyPixels(maxPixels(metadata));
    // Decodes the whole image before cropping: a decoder that only reads the center would not notice a truncated file.
    const { data, info } = await sharp(upload, INPUT)
      .timeout({ seconds: TIMEOUT_SECONDS })
      .resize({ ...coveringSize(metadata.autoOrient), fit: 'fill' })
      .toColourspace('srgb')
      .raw()
      .toBuffer({ resolveWithObject: true });
    const { width, height, channels } = info;
    return await sharp(data, { raw: { width, height, channels } })
      .timeout({ seconds: TIMEOUT_SECONDS })
      .extract({ left: (width - SIDE_PX) >> 1, top: (height - SIDE_PX) >> 1, width: SIDE_PX, height: SIDE_PX })
      .webp({ quality: 82 })
      .toBuffer();
  } catch (error) {
    throw error instanceof ServiceError ? error : decodeError(error);
  }
}

let loading: Promise<typeof Sharp> | undefined;

/** Loads sharp on first use. All loaders are blocked except those that read the four formats from memory. */
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

/** Pixels that fit into `MAX_DECODED_BYTES`. A progressive JPEG takes two bytes per sample until its last scan. */
function maxPixels({ channels, depth, format, isProgressive }: Metadata): number {
  const bytes = depth === 'uchar' && !(format === 'jpeg' && isProgressive) ? 1 : 2;
  return Math.min(MAX_PIXELS, MAX_DECODED_BYTES / (channels * bytes));
}

/** The size at which the shorter side is exactly `SIDE_PX`. */
function coveringSize({ width, height }: { width: number; height: number }) {
  const scale = SIDE_PX / Math.min(width, height);
  const fit = (length: number) => Math.min(Math.round(length * scale), MAX_LENGTH_PX);
  return { width: fit(width), height: fit(height) };
}

/** Every decoder error is a fault of the uploaded file. */
function decodeError(error: unknown): ServiceError {
  const message = error instanceof Error ? error.message : '';
  if (message.includes('pixel limit')) return tooManyPixels(MAX_PIXELS, error);
  if (message.includes('timeout')) return invalid('takes too long to decode', error);
  return invalid('must be a PNG, JPEG, WebP or GIF image that is whole and undamaged', error);
}
