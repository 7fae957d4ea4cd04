import { randomBytes } from 'node:crypto';
import { verifyArgon2 } from '../../../platform/argon2/argon2.ts';
import { type HashKind, toBase64 } from './hash-kind.ts';

const FORM =
  /^\$(?<variant>argon2(?:id|i|d))(?:\$v=(?:16|19))?\$m=(?<m>\d{1,8}),t=(?<t>\d{1,8}),p=(?<p>\d{1,3})\$(?<salt>[A-Za-z0-9+/]{11,64})\$(?<hash>[A-Za-z0-9+/]{14,86})$/;
/** KiB at once, and KiB written in all passes together: what libsodium calls moderate is within it. */
const MEMORY = 256 * 1024;
const WRITTEN = 1024 * 1024;
const LANES = 16;

/** argon2id, argon2i and argon2d as PHC strings, ours among them; without a version it is the first one, 16. */
export const argon2: HashKind = {
  read(stored) {
    const { variant, m, t, p } = FORM.exec(stored)?.groups ?? {};
    const [memory, passes, lanes] = [Number(m), Number(t), Number(p)];
    if (variant === undefined || passes < 1 || lanes < 1 || memory < 8 * lanes) return undefined;
    return {
      label: `${variant}, ${memory} KiB, ${passes} passes`,
      cost: `${variant} ${memory} ${passes} ${lanes}`,
      too_costly: memory > MEMORY || memory * passes > WRITTEN || lanes > LANES,
      matches: (password) =>
        verifyArgon2(stored, password, { memoryCost: memory, timeCost: passes, parallelism: lanes }),
    };
  },
  decoy: (head) => `${head}$${toBase64(randomBytes(16))}$${toBase64(randomBytes(32))}`,
};
