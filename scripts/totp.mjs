// `node scripts/totp.mjs <secret> [--next]`: prints a TOTP code. Plain Node without dependencies.
import { createHmac } from 'node:crypto';
import { parseArgs } from 'node:util';

const USAGE = `Usage: node scripts/totp.mjs <secret> [options]

Prints the code of the current 30-second step (RFC 6238: SHA-1, 6 digits).

  <secret>         in base32, as /auth/mfa/setup returns it; case, spaces and padding are ignored
  --next           print the code of the next step: a server that allows one step of drift accepts it too,
                   so you need not wait after you have used the current code
  --at <seconds>   use this Unix time instead of now
  -h, --help       print this text`;

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const STEP_SECONDS = 30;

class UsageError extends Error {}

try {
  console.log(answer(readArguments()));
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  console.error(`${error.message} (add --help for usage)`);
  process.exitCode = 2;
}

function answer({ values, positionals }) {
  if (values.help) return USAGE;
  const step = Math.floor(readTime(values.at) / STEP_SECONDS) + (values.next ? 1 : 0);
  return codeOf(decode(positionals.join('')), step);
}

function readArguments() {
  const options = {
    next: { type: 'boolean' },
    at: { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  };
  try {
    return parseArgs({ options, allowPositionals: true });
  } catch (error) {
    // The rest of the message is advice that does not apply here.
    throw new UsageError(error.message.split(/\.\s/)[0]);
  }
}

function readTime(at) {
  if (at === undefined) return Date.now() / 1000;
  if (!/^\d{1,12}$/.test(at)) throw new UsageError('--at must be a Unix time in whole seconds');
  return Number(at);
}

/** Base32 to bytes. Each letter is five bits; remaining bits at the end are padding. */
function decode(text) {
  const letters = text.replace(/\s/g, '').replace(/=+$/, '').toUpperCase();
  if (letters === '') throw new UsageError('The secret is missing');
  const bytes = [];
  let bits = 0;
  let count = 0;
  for (const letter of letters) {
    const value = ALPHABET.indexOf(letter);
    if (value < 0) throw new UsageError('The secret must be base32: letters and the digits 2 to 7');
    bits = ((bits << 5) | value) & 0xfff;
    count += 5;
    if (count < 8) continue;
    count -= 8;
    bytes.push((bits >> count) & 0xff);
  }
  if (count >= 5) throw new UsageError('The secret is incomplete: base32 text cannot have this length');
  return Buffer.from(bytes);
}

/** RFC 4226, section 5.3. */
function codeOf(secret, step) {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const digest = createHmac('sha1', secret).update(counter).digest();
  const offset = digest[digest.length - 1] & 0x0f;
  const number = digest.readUInt32BE(offset) & 0x7fffffff;
  return String(number % 1_000_000).padStart(6, '0');
}
