import { randomBytes } from 'node:crypto';
import { verifyArgon2 } from '../../../platform/argon2/argon2.ts';
import { type HashKind, toBase64 } from './hash-kind.ts';

const FORM =
  /^\$(?<variant>argon2(?:id|i|d))(?:\$v=(?:16|19))?\$m=(?<m>\d{1,8}),t=(?<t>\d{1,8}),p=(?<p>\d{1,3})\$(?<salt>[A-Za-z0-9+/]{11,64})\$(?<hash>[A-Za-z0-9+/]{14,86})$/;
/** Limits in KiB: memory, and memory times passes. The "moderate" parameters of libsodium are within both. */
const MAX_MEMORY_KIB = 256 * 1024;
const MAX_WRITTEN_KIB = 1024 * 1024;
const MAX_LANES = 16;

/** argon2id, argon2i and argon2d as PHC strings, including our own hashes; a string without a version is version 16. */
export const argon2: HashKind = {
  read(stored) {
    const { variant, m, t, p } = FORM.exec(stored)?.groups ?? {};
    const [memory, passes, lanes] = [Number(m), Number(t), Number(p)];
    if (variant === undefined || passes < 1 || lanes < 1 || memory < 8 * lanes) return undefined;
    return {
      label: `${variant}, ${memory} KiB, ${passes} passes`,
      cost: `${variant} ${memory} ${passes} ${lanes}`,
      too_costly: memory > MAX_MEMORY_KIB || memory * passes > MAX_WRITTEN_KIB || lanes > MAX_LANES,
      matches: (password) =>
        verifyArgon2(stored, password, { memoryCost: memory, timeCost: passes, parallelism: lanes }),
    };
  },
  decoy: (head) => `${head}$${toBase64(randomBytes(16))}$${toBase64(randomBytes(32))}`,
};
