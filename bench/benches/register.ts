import { type Bench, raced } from '../bench.ts';
import { startDatabase } from '../database.ts';
import { atLeast } from '../goals.ts';
import { argon2, HASH_AND_SIGNATURE, hashAndSignature } from '../limits.ts';
import { registration } from '../operations.ts';
import { BETTER_AUTH_SIGN_UP, peersOfRegister } from '../peers.ts';
import { startService } from '../service.ts';

const REGISTER = 'POST /auth/register';

export const register: Bench = {
  name: 'register',
  about: 'POST /auth/register, 32 connections, against the hash alone; peer: sign-up/email of better-auth',
  async run(options) {
    const service = await startService();
    return raced(
      {
        contestants: [
          argon2(),
          hashAndSignature(),
          registration({ name: REGISTER, service }),
          ...(options.peers ? await peersOfRegister(await startDatabase()) : []),
        ],
        goals: [atLeast(0.88, REGISTER, HASH_AND_SIGNATURE), atLeast(8, REGISTER, BETTER_AUTH_SIGN_UP)],
      },
      options,
    );
  },
};
