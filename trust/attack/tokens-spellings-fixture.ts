import { rounds } from '../effort.ts';
import { encode, type Table } from './tokens-fixture.ts';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
/** Encodes the same bytes differently: the last base64 character of 256 bytes has four unused bits. */
const withUnusedBits = (text: string, bits: number): string =>
  text.slice(0, -1) + ALPHABET[ALPHABET.indexOf(text.at(-1)!) ^ bits]!;

export const spellings: Table = ({ genuine, forger }) => {
  const [header, payload, signature] = genuine.split('.') as [string, string, string];
  const [, theirs, theirSignature] = forger.access_token.split('.') as [string, string, string];
  const flipped = (part: string, at: number): string =>
    part.slice(0, at) + (part[at] === 'A' ? 'B' : 'A') + part.slice(at + 1);
  const bytes = Buffer.from(signature, 'base64url');
  const table: Record<string, string> = {
    'padding behind': `${genuine}=`,
    'two paddings behind': `${genuine}==`,
    'padding behind the header': `${header}=.${payload}.${signature}`,
    'padding behind the payload': `${header}.${payload}=.${signature}`,
    'padding before': `=${genuine}`,
    'a space behind the header': `${header} .${payload}.${signature}`,
    'a space inside the signature': `${header}.${payload}.${signature.slice(0, 9)} ${signature.slice(9)}`,
    'a tab inside': `${header}.${payload}\t.${signature}`,
    'the plain alphabet': `${header}.${payload}.${bytes.toString('base64')}`,
    hexadecimal: `${header}.${payload}.${bytes.toString('hex')}`,
    'a dot before': `.${genuine}`,
    'a dot behind': `${genuine}.`,
    'two dots': `${header}..${payload}.${signature}`,
    'dots encoded': genuine.replaceAll('.', '%2E'),
    'two parts': `${header}.${payload}`,
    'no payload': `${header}..${signature}`,
    'no header': `.${payload}.${signature}`,
    'no signature': `${header}.${payload}.`,
    'four parts': `${genuine}.${signature}`,
    'five parts, as of a JWE': `${encode({ alg: 'RSA-OAEP', enc: 'A256GCM' })}.AAAA.${header}.${payload}.${signature}`,
    'parts in another order': `${payload}.${header}.${signature}`,
    'upper case': genuine.toUpperCase(),
    'lower case': genuine.toLowerCase(),
    'a zero-width space behind': `${genuine}\u200b`,
    'a byte order mark before': `\ufeff${genuine}`,
    'fullwidth dots': genuine.replaceAll('.', '．'),
    'a letter that looks alike': genuine.replace('e', 'е'),
    'in quotes': `"${genuine}"`,
    'in angle brackets': `<${genuine}>`,
    'JSON, flattened': JSON.stringify({ protected: header, payload, signature }),
    'JSON, general': JSON.stringify({ payload, signatures: [{ protected: header, signature }] }),
    'once more encoded': encode(genuine),
    'twice, with a comma': `${genuine},${genuine}`,
    'twice, with a comma and a space': `${genuine}, ${genuine}`,
    'twice, with a space': `${genuine} ${genuine}`,
    'twice, with nothing': genuine + genuine,
    'a semicolon behind': `${genuine};`,
    'a parameter behind': `${genuine}; a=b`,
    'cut in the signature': genuine.slice(0, -10),
    'cut by one letter': genuine.slice(0, -1),
    'more of a signature': `${genuine}AAAA`,
    'a signature of zeros': `${header}.${payload}.${Buffer.alloc(256).toString('base64url')}`,
    'a signature of ones': `${header}.${payload}.${Buffer.alloc(256, 0xff).toString('base64url')}`,
    'a signature of one': `${header}.${payload}.${Buffer.concat([Buffer.alloc(255), Buffer.of(1)]).toString('base64url')}`,
    'a signature with a zero before': `${header}.${payload}.${Buffer.concat([Buffer.alloc(1), bytes]).toString('base64url')}`,
    'a signature backwards': `${header}.${payload}.${Buffer.from(bytes).reverse().toString('base64url')}`,
    'the signature of another token': `${header}.${payload}.${theirSignature}`,
    'the payload of another token': `${header}.${theirs}.${signature}`,
    'stray bits at the end of the payload': `${header}.${flipped(payload, payload.length - 1)}.${signature}`,
    'very long': `${header}.${payload}.${signature}${'A'.repeat(4096)}`,
    'very long in front': `${'A'.repeat(4096)}${genuine}`,
    'many dots': '.'.repeat(4000),
    'one dot': '.',
    'two dots alone': '..',
    'a word': 'token',
    'null, as a text': 'null',
    'undefined, as a text': 'undefined',
    'an id': forger.session_id,
  };
  for (let bits = 1; bits < 16; bits++)
    table[`the last letter with stray bits ${bits}`] = `${header}.${payload}.${withUnusedBits(signature, bits)}`;
  for (let at = 0; at < rounds(8, 40); at++) {
    table[`letter ${at * 8} of the signature changed`] = `${header}.${payload}.${flipped(signature, at * 8)}`;
    table[`letter ${at * 5} of the payload changed`] = `${header}.${flipped(payload, at * 5)}.${signature}`;
  }
  return Object.entries(table).map(([name, token]) => ({ name: `spelling: ${name}`, token }));
};
