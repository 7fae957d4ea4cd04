import { insertAccounts } from '../accounts.ts';
import { type Bench, raced } from '../bench.ts';
import { startDatabase } from '../database.ts';
import { atLeast, type Goal, ratioTo } from '../goals.ts';
import { ARGON2, argon2, HASH_AND_SIGNATURE, hashAndSignature } from '../limits.ts';
import { login as signIn } from '../operations.ts';
import { GLEWLWYD_SIGN_IN, glewlwydSignIn } from '../peer-glewlwyd.ts';
import { BETTER_AUTH_SIGN_IN, peersOfLogin } from '../peers.ts';
import { startService } from '../service.ts';

const LOGIN = 'POST /auth/login';
const ACCOUNTS = 1_000;

/** The CPU time of a sign-in without its password hash, service and database, relative to that of the hash. */
const besideHashing: Goal = (find) => {
  const hash = find(ARGON2)?.cpu.service;
  const { service, database = 0 } = find(LOGIN)?.cpu ?? {};
  if (hash === undefined || service === undefined) return undefined;
  const share = (service + database - hash) / hash;
  return {
    operation: `${LOGIN}, CPU beside hashing`,
    ours: `${(service + database).toFixed(2)} ms`,
    limit: `one hash: ${hash.toFixed(2)} ms`,
    ratio: `${(share * 100).toFixed(1)} %`,
    goal: '≤ 12 %',
    met: share <= 0.12,
  };
};

export const login: Bench = {
  name: 'login',
  about:
    'POST /auth/login, 32 connections, against the hash alone; peers: sign-in/email of better-auth, POST /api/auth/ of glewlwyd',
  async run(options) {
    const service = await startService();
    const accounts = await insertAccounts(await service.connect(), ACCOUNTS);
    return raced(
      {
        contestants: [
          argon2(),
          hashAndSignature(),
          signIn({ name: LOGIN, service, accounts }),
          ...(options.peers ? [...(await peersOfLogin(await startDatabase())), ...(await glewlwydSignIn())] : []),
        ],
        goals: [
          atLeast(0.93, LOGIN, HASH_AND_SIGNATURE),
          besideHashing,
          atLeast(9, LOGIN, BETTER_AUTH_SIGN_IN),
          ratioTo(LOGIN, GLEWLWYD_SIGN_IN),
        ],
      },
      options,
    );
  },
};
