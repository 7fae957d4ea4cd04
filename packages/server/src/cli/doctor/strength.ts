/** A secret with fewer bits is worth a brute-force attack. */
const ENOUGH_BITS = 80;
/** Estimated bits of entropy in prose: letters are half predictable, and words are common ones. */
const BITS_OF_PROSE = { letter: 2, word: 10 };

const PLACEHOLDER =
  /change|replace|example|placeholder|insecure|default|secret|password|passphrase|gatehouse|your|here|this|please|random|string|token|test|todo|demo|sample|dummy|super|long|least|characters?|minimum|production|key|jwt|dev/gi;

/** Runs of four adjacent keyboard keys, in both directions. */
const WALKS = new RegExp(
  ['1234567890', 'qwertyuiop', 'qwertzuiop', 'asdfghjkl', 'zxcvbnm', 'yxcvbnm']
    .flatMap((row) => [row, [...row].reverse().join('')])
    .flatMap((row) => Array.from({ length: row.length - 3 }, (_, at) => row.slice(at, at + 4)))
    .join('|'),
  'gi',
);

export type Weakness = 'repeats' | 'placeholder' | 'words' | 'few';

/** Why a secret could be guessed; undefined if nothing indicates it. An estimate that avoids false alarms. */
export function weaknessOf(text: string): Weakness | undefined {
  const unit = repeatedUnit(text);
  if (unit.length < text.length && bitsOf(unit) < ENOUGH_BITS) return 'repeats';
  if (bitsOf(unit.replace(PLACEHOLDER, '')) < ENOUGH_BITS && unit.match(PLACEHOLDER)) return 'placeholder';
  const unwalked = unit.replace(WALKS, '');
  // Short runs occur by chance.
  if (bitsOf(unwalked.length < unit.length / 2 ? unwalked : unit) >= ENOUGH_BITS) return undefined;
  return isProse(unit) ? 'words' : 'few';
}

/** The shortest text whose repetition gives the whole text; the last repetition may be cut off. */
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

/** The entropy by character frequency. Characters that continue a sequence (`abcd`, `8642`, `aaaa`) do not count. */
function bitsOf(text: string): number {
  const codes = [...text].map((character) => character.codePointAt(0)!);
  const counted = codes.filter((code, at) => at < 2 || code - codes[at - 1]! !== codes[at - 1]! - codes[at - 2]!);
  if (isProse(text)) return Math.min(counted.length * BITS_OF_PROSE.letter, wordsOf(text).length * BITS_OF_PROSE.word);
  const counts = new Map<number, number>();
  for (const code of counted) counts.set(code, (counts.get(code) ?? 0) + 1);
  return [...counts.values()].reduce((bits, count) => bits + count * Math.log2(counted.length / count), 0);
}

/**
 * Whether the text consists of words and numbers with separators. Random text mixes letters and digits within a part.
 * Prose does so rarely (`3rd`, `v2`): then all words must be pronounceable and not all of the same length.
 */
function isProse(text: string): boolean {
  const parts = text.split(/[\p{P}\p{S}\s]+/u).filter(Boolean);
  const mixed = parts.filter((part) => !WORD.test(part) && !/^\p{N}+$/u.test(part));
  const words = wordsOf(text);
  if (words.length <= 3) return false;
  const isRare = mixed.length <= parts.length / 4 && mixed.every((part) => part.length <= 6);
  const areSpeakable = words.every((word) => VOWEL.test(word)) && new Set(words.map(({ length }) => length)).size > 1;
  return mixed.length === 0 || (isRare && areSpeakable);
}

const VOWEL = /[aeiouyäöüéèà]|[^\p{Script=Latin}]/iu;

const WORD = /^(\p{L}?\p{Ll}+|\p{Lu}+)$/u;

const wordsOf = (text: string): string[] =>
  text.split(/[\p{P}\p{S}\s]+/u).filter((part) => part.length > 1 && WORD.test(part));

/** Whether the bytes of a key are typed text or repeat a lot, instead of being random. */
export function areWeakBytes(bytes: Buffer): boolean {
  const isTyped = bytes.every((byte) => byte >= 0x20 && byte < 0x7f);
  return isTyped || new Set(bytes).size < bytes.length / 2;
}
