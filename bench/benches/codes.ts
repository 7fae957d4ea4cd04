import { sql } from 'kysely';
import type { Deps } from '../../packages/server/src/domain/context.ts';
import { prepareMfaToken } from '../../packages/server/src/domain/mfa/mfa-token.ts';
import { newTotpSecret, stepAt, totpCode } from '../../packages/server/src/domain/mfa/totp.ts';
import { hashCode, randomCode } from '../../packages/server/src/features/email-otp/code.ts';
import { systemClock } from '../../packages/server/src/platform/clock.ts';
import { createKeyring } from '../../packages/server/src/platform/crypto/keyring.ts';
import { seal } from '../../packages/server/src/platform/crypto/seal.ts';
import type { Db } from '../../packages/server/src/platform/db/connect.ts';
import { type Account, insertAccounts } from '../accounts.ts';
import { type Bench, FEW_ROUNDS, raced } from '../bench.ts';
import { type Contestant, requests } from '../contestant.ts';
import { atLeast } from '../goals.ts';
import { CONNECTIONS, RS256, rs256 } from '../limits.ts';
import { request } from '../load.ts';
import { SECRET, type Service, startService } from '../service.ts';

const EMAIL = 'POST /auth/email-otp/verify';
const TOTP = 'POST /auth/mfa/challenge';

const keyring = createKeyring(SECRET);
/** The part of Deps that creating a token needs. */
const signer = { clock: systemClock, keyring } as Deps;
const LIFETIME = `interval '10 minutes'`;

/** Prepares the database before a measurement and returns requests that can each be sent once. */
type Writer = (db: Db, accounts: readonly Account[]) => Promise<Buffer[]>;

/** Stores an emailed code for each account, as POST /auth/email-otp/request would. */
const writeCodes: Writer = async (db, accounts) => {
  const codes = accounts.map(({ user_id, email }) => ({ subject: user_id, email, code: randomCode() }));
  const hashes = codes.map((code) => hashCode(keyring, code));
  await sql`truncate one_time_tokens`.execute(db);
  await sql`insert into one_time_tokens (kind, subject, token_hash, created_at, expires_at)
    select 'login_code', subject, token_hash, now(), now() + ${sql.raw(LIFETIME)}
    from unnest(${codes.map(({ subject }) => subject)}::uuid[], ${hashes}::bytea[]) as made (subject, token_hash)`.execute(
    db,
  );
  await sql`vacuum analyze one_time_tokens`.execute(db);
  return codes.map(({ email, code }) =>
    request('POST', '/v1/auth/email-otp/verify', {}, JSON.stringify({ email, code })),
  );
};

/** Before every measurement: creates a pending sign-in for each account, and makes used TOTP codes valid again. */
const pendingSignIns = (): Writer => {
  const secrets = new Map<string, Buffer>();
  const enroll = async (db: Db, accounts: readonly Account[]) => {
    for (const { user_id } of accounts) secrets.set(user_id, newTotpSecret());
    const sealed = [...secrets].map(([row, secret]) => seal(keyring, { purpose: 'totp', row }, secret));
    await sql`insert into totp_secrets (user_id, sealed_secret, created_at)
      select user_id, sealed, ${systemClock.now()}::timestamptz from unnest(${[...secrets.keys()]}::uuid[], ${sealed}::text[]) as made (user_id, sealed)`.execute(
      db,
    );
    await sql`update users set mfa_enabled_at = now() where id = any (${[...secrets.keys()]}::uuid[])`.execute(db);
  };
  return async (db, accounts) => {
    if (secrets.size === 0) await enroll(db, accounts);
    await sql`update totp_secrets set used_steps = '{}' where used_steps <> '{}'`.execute(db);
    await sql`truncate mfa_tokens`.execute(db);
    const pending = accounts.map((account) => ({
      ...account,
      ...prepareMfaToken(signer, { ...account, first_factor: 'password', connection_id: null }),
    }));
    await sql`insert into mfa_tokens (jti, user_id, created_at, kept_until)
      select jti, user_id, now(), now() + ${sql.raw(LIFETIME)}
      from unnest(${pending.map(({ row }) => row.jti)}::uuid[], ${pending.map(({ user_id }) => user_id)}::uuid[]) as made (jti, user_id)`.execute(
      db,
    );
    for (const table of ['mfa_tokens', 'totp_secrets']) await sql`vacuum analyze ${sql.table(table)}`.execute(db);
    const step = stepAt(systemClock.now());
    return pending.map(({ user_id, answer: { mfa_token } }) =>
      request(
        'POST',
        '/v1/auth/mfa/challenge',
        {},
        JSON.stringify({ mfa_token, code: totpCode(secrets.get(user_id)!, step) }),
      ),
    );
  };
};

interface Field {
  readonly name: string;
  readonly service: Service;
  readonly db: Db;
  readonly accounts: readonly Account[];
  readonly write: Writer;
}

/** Codes are valid once: enough of them are created before each measurement. */
function oneTime({ name, service, db, accounts, write }: Field): Contestant {
  let left: Buffer[] = [];
  return requests({
    name,
    pids: [service.pid],
    port: service.port,
    connections: CONNECTIONS,
    async prepare() {
      left = await write(db, accounts);
    },
    next() {
      const prepared = left.pop();
      if (!prepared) throw new Error('there were too few codes: take fewer seconds');
      return prepared;
    },
  });
}

export const codes: Bench = {
  name: 'codes',
  about: 'POST /auth/email-otp/verify and POST /auth/mfa/challenge against RS256 alone',
  rounds: FEW_ROUNDS,
  async run(options) {
    const service = await startService();
    const db = await service.connect();
    const limit = rs256();
    // Accounts for three times the rate of one thread: the thread pool of the service may sign twice as fast.
    const { rate } = await limit.shoot(1);
    const accounts = await insertAccounts(db, 2 * Math.ceil(3 * rate * options.seconds + CONNECTIONS));
    const half = accounts.length / 2;
    return raced(
      {
        contestants: [
          limit,
          oneTime({ name: EMAIL, service, db, accounts: accounts.slice(0, half), write: writeCodes }),
          oneTime({ name: TOTP, service, db, accounts: accounts.slice(half), write: pendingSignIns() }),
        ],
        goals: [atLeast(0.5, EMAIL, RS256), atLeast(0.5, TOTP, RS256)],
      },
      options,
    );
  },
};
