// `node scripts/totp.mjs <secret> [--next]`: the six digits an authenticator app shows. Plain Node, no dependencies.
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
const STEP = 30;

/** What is wrong with the command line, in one sentence. */
class Mistake extends Error {}

try {
  console.log(answer(readArguments()));
} catch (error) {
  if (!(error instanceof Mistake)) throw error;
  console.error(`${error.message} (add --help for usage)`);
  process.exitCode = 2;
}

function answer({ values, positionals }) {
  if (values.help) return USAGE;
  const step = Math.floor(readTime(values.at) / STEP) + (values.next ? 1 : 0);
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
    // What follows the first sentence is advice that does not fit here.
    throw new Mistake(error.message.split(/\.\s/)[0]);
  }
}

function readTime(at) {
  if (at === undefined) return Date.now() / 1000;
  if (!/^\d{1,12}$/.test(at)) throw new Mistake('--at must be a Unix time in whole seconds');
  return Number(at);
}

/** Base32 → bytes. Letters stand for five bits each; what is left of the last one at the end is filling. */
function decode(text) {
  const letters = text.replace(/\s/g, '').replace(/=+$/, '').toUpperCase();
  if (letters === '') throw new Mistake('The secret is missing');
  const bytes = [];
  let bits = 0;
  let count = 0;
  for (const letter of letters) {
    const value = ALPHABET.indexOf(letter);
    if (value < 0) throw new Mistake('The secret must be base32: letters and the digits 2 to 7');
    bits = ((bits << 5) | value) & 0xfff;
    count += 5;
    if (count < 8) continue;
    count -= 8;
    bytes.push((bits >> count) & 0xff);
  }
  if (count >= 5) throw new Mistake('The secret is incomplete: base32 text cannot have this length');
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
