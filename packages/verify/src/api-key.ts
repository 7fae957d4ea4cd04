import { VerifyError } from './verify-error.ts';

/** Every API key begins with this, and no access token does. */
const MARK = 'gth_';
/** The prefix, the public id, the secret and the checksum. */
const FORM = /^gth_[0-9A-Za-z]{12}_[0-9A-Za-z]{43}[0-9A-Za-z]{6}$/;
const PREFIX_LENGTH = 16;
const CHECKSUM_LENGTH = 6;
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

export const isApiKey = (credential: unknown): credential is string =>
  typeof credential === 'string' && credential.startsWith(MARK);

/** Returns the public part of a key. Throws if the checksum is wrong: the key was mistyped or cut off. */
export function readPrefix(key: string): string {
  const end = key.length - CHECKSUM_LENGTH;
  if (!FORM.test(key) || checksumOf(key.slice(0, end)) !== key.slice(end)) {
    throw new VerifyError('token_invalid', 'this is not an API key: it was mistyped or cut off');
  }
  return key.slice(0, PREFIX_LENGTH);
}

const POLYNOMIAL = 0xedb88320;
const TABLE = Uint32Array.from({ length: 256 }, (_, index) => {
  let value = index;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? POLYNOMIAL ^ (value >>> 1) : value >>> 1;
  return value;
});

/** The CRC-32 of zlib as six base62 digits, most significant first. The text is ASCII. */
function checksumOf(text: string): string {
  let crc = 0xffffffff;
  for (let index = 0; index < text.length; index++) crc = TABLE[(crc ^ text.charCodeAt(index)) & 0xff]! ^ (crc >>> 8);
  let rest = (crc ^ 0xffffffff) >>> 0;
  let digits = '';
  for (let place = 0; place < CHECKSUM_LENGTH; place++) {
    digits = DIGITS[rest % DIGITS.length] + digits;
    rest = Math.floor(rest / DIGITS.length);
  }
  return digits;
}
