import { randomBytes } from 'node:crypto';
import { LIMITS } from '@gatehouse/contract';
import { hashToken } from '../../platform/crypto/tokens.ts';

/** Without i, l, o and u, which are easily misread. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const CODE_LENGTH = 16;

/** 80 random bits, in groups of four. */
const newCode = (): string => {
  const characters = [...randomBytes(CODE_LENGTH)].map((byte) => ALPHABET[byte % ALPHABET.length]!);
  return characters.join('').replace(/.{4}(?=.)/g, '$&-');
};

interface NewRecoveryCodes {
  /** The codes as text, which the user sees only once. */
  readonly codes: string[];
  readonly hashes: Buffer[];
}

export function newRecoveryCodes(): NewRecoveryCodes {
  const codes = Array.from({ length: LIMITS.recoveryCodes }, newCode);
  return { codes, hashes: codes.map(hashRecoveryCode) };
}

/** Ignores case, hyphens and spaces; reads i and l as 1, and o as 0. */
export const hashRecoveryCode = (typed: string): Buffer =>
  hashToken(typed.toLowerCase().replace(/[\s-]/g, '').replace(/[il]/g, '1').replaceAll('o', '0'));

export const codeUsed = { template: 'recovery_code_used', params: {} } as const;
