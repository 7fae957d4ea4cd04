import { createCipheriv, pbkdf2Sync, randomBytes, scryptSync } from 'node:crypto';
import { hash as argon2 } from '@node-rs/argon2';
import { hash as bcrypt } from '@node-rs/bcrypt';

/** Hashes as other services create them, created without the code of this service. */

export const bcryptHash = (password: string, cost = 4, prefix = '2b'): Promise<string> =>
  bcrypt(password, cost).then((made) => made.replace(/^\$2.\$/, `$${prefix}$`));

export const argon2Hash = (password: string, variant: 'd' | 'i' | 'id', { memory = 64, passes = 1, lanes = 1 } = {}) =>
  argon2(password, {
    algorithm: { d: 0, i: 1, id: 2 }[variant],
    memoryCost: memory,
    timeCost: passes,
    parallelism: lanes,
  });

export function pbkdf2Parts(password: string, digest: 'sha1' | 'sha256' | 'sha512', iterations = 1000, length = 64) {
  const salt = randomBytes(16);
  return { salt, hash: pbkdf2Sync(password, salt, iterations, length, digest), iterations };
}

/** The example that Firebase publishes with its own implementation. */
export const FIREBASE = {
  hash_config: {
    algorithm: 'SCRYPT',
    base64_signer_key: 'jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==',
    base64_salt_separator: 'Bw==',
    rounds: 8,
    mem_cost: 14,
  },
  password: 'user1password',
  salt: '42xEC+ixf3L2lw==',
  passwordHash: 'lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==',
} as const;

/** Hashes a password with the parameters of the project in `FIREBASE`, as for another user. */
export function firebaseHash(password: string): { salt: string; passwordHash: string } {
  const { hash_config: config } = FIREBASE;
  const salt = randomBytes(10);
  const separator = Buffer.from(config.base64_salt_separator, 'base64');
  const key = scryptSync(password, Buffer.concat([salt, separator]), 32, { N: 2 ** config.mem_cost, r: config.rounds });
  const cipher = createCipheriv('aes-256-ctr', key, Buffer.alloc(16));
  const made = cipher.update(Buffer.from(config.base64_signer_key, 'base64'));
  return { salt: salt.toString('base64'), passwordHash: made.toString('base64') };
}
