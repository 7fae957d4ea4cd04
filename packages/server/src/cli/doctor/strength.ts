/** Below this many bits a secret is worth trying out by machine. */
const ENOUGH = 80;
/** Running text: what comes next is half known, and the words are those that everybody uses. */
const BITS_OF_PROSE = { letter: 2, word: 10 };

const PLACEHOLDER =
  /change|replace|example|placeholder|insecure|default|secret|password|passphrase|gatehouse|your|here|this|please|random|string|token|test|todo|demo|sample|dummy|super|long|least|characters?|minimum|production|key|jwt|dev/gi;

/** Fingers that walk along a row of keys, either way. */
const WALKS = new RegExp(
  ['1234567890', 'qwertyuiop', 'qwertzuiop', 'asdfghjkl', 'zxcvbnm', 'yxcvbnm']
    .flatMap((row) => [row, [...row].reverse().join('')])
    .flatMap((row) => Array.from({ length: row.length - 3 }, (_, at) => row.slice(at, at + 4)))
    .join('|'),
  'gi',
);

export type Weakness = 'repeats' | 'placeholder' | 'words' | 'few';

/** Why somebody could find it by trying; undefined: nothing speaks against it. A guess, and on the side of the secret. */
export function weaknessOf(text: string): Weakness | undefined {
  const unit = repeatedUnit(text);
  if (unit.length < text.length && bitsOf(unit) < ENOUGH) return 'repeats';
  if (bitsOf(unit.replace(PLACEHOLDER, '')) < ENOUGH && unit.match(PLACEHOLDER)) return 'placeholder';
  const unwalked = unit.replace(WALKS, '');
  // A few such steps come by chance.
  if (bitsOf(unwalked.length < unit.length / 2 ? unwalked : unit) >= ENOUGH) return undefined;
  return isProse(unit) ? 'words' : 'few';
}

/** The shortest text of which the whole is repetitions, the last of them cut off perhaps. */
function repeatedUnit(text: string): string {
  const borders = [0];
  for (let at = 1, border = 0; at < text.length; at++) {
    while (border > 0 && text[at] !== text[border]) border = borders[border - 1]!;
    if (text[at] === text[border]) border++;
    borders[at] = border;
  }
  const period = text.length - (borders.at(-1) ?? 0);
  return period * 2 <= text.length ? text.slice(0, period) : text;
}

/** By how often each character is in it; characters that only go on counting (`abcd`, `8642`, `aaaa`) are none. */
function bitsOf(text: string): number {
  const codes = [...text].map((character) => character.codePointAt(0)!);
  const told = codes.filter((code, at) => at < 2 || code - codes[at - 1]! !== codes[at - 1]! - codes[at - 2]!);
  if (isProse(text)) return Math.min(told.length * BITS_OF_PROSE.letter, wordsOf(text).length * BITS_OF_PROSE.word);
  const counts = new Map<number, number>();
  for (const code of told) counts.set(code, (counts.get(code) ?? 0) + 1);
  return [...counts.values()].reduce((bits, count) => bits + count * Math.log2(told.length / count), 0);
}

/**
 * Words with something between them, and nothing else but numbers: what is drawn mixes letters and digits as it likes. People do so now
 * and then (`3rd`, `v2`): then the words have to be such as can be spoken, and not all as long as each other.
 */
function isProse(text: string): boolean {
  const parts = text.split(/[\p{P}\p{S}\s]+/u).filter(Boolean);
  const mixed = parts.filter((part) => !WORD.test(part) && !/^\p{N}+$/u.test(part));
  const words = wordsOf(text);
  if (words.length <= 3) return false;
  const isNowAndThen = mixed.length <= parts.length / 4 && mixed.every((part) => part.length <= 6);
  const areSpoken = words.every((word) => VOWEL.test(word)) && new Set(words.map(({ length }) => length)).size > 1;
  return mixed.length === 0 || (isNowAndThen && areSpoken);
}

const VOWEL = /[aeiouyäöüéèà]|[^\p{Script=Latin}]/iu;

const WORD = /^(\p{L}?\p{Ll}+|\p{Lu}+)$/u;

const wordsOf = (text: string): string[] =>
  text.split(/[\p{P}\p{S}\s]+/u).filter((part) => part.length > 1 && WORD.test(part));

/** 32 bytes that somebody has typed, or that are all alike, instead of drawing them. */
export function areWeakBytes(bytes: Buffer): boolean {
  const isTyped = bytes.every((byte) => byte >= 0x20 && byte < 0x7f);
  return isTyped || new Set(bytes).size < bytes.length / 2;
}
