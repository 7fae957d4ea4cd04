import { after } from '../../platform/clock.ts';
import { lock } from '../../platform/db/lock.ts';
import { commitAndFail, transact } from '../../platform/db/transact.ts';
import { recordAudit } from '../audit/record.ts';
import type { Deps } from '../context.ts';
import { SYSTEM } from '../kernel/caller.ts';
import { updateEndedGrants } from '../oauth-server/grants/queries.ts';
import { revokeAnySessions } from '../sessions/queries.ts';
import {
  generateSigningKey,
  isUsable,
  type NewKey,
  openPrivateKey,
  storeRestrictedKey,
  storeSigningKey,
} from '../signing-keys/keys.ts';
import { type KeyTable, listSigningKeys, retireSigningKeys, updateSigningKeyEnd } from '../signing-keys/queries.ts';

/** Keys that the first start generates while it creates the database. */
export interface FirstKeys {
  readonly sessions: Promise<NewKey>;
  readonly applications: Promise<NewKey>;
}

export const generateFirstKeys = (): FirstKeys => ({
  sessions: generateSigningKey(),
  applications: generateSigningKey(),
});

type KeyDeps = Pick<Deps, 'db' | 'bus' | 'clock' | 'log' | 'keys' | 'keyring' | 'config'>;

const BATCH_SIZE = 10_000;
const KEYS_LOCK = 'signing keys';

/**
 * At start: ensures that a usable signing key exists. The first start creates one. If JWT_SECRET was lost, the keys
 * that cannot be unsealed are retired, a new one is created and every session is revoked
 * (docs/reference/sessions.md#secrets). Replicas that start together wait for each other and share the first one's key.
 */
export async function ensureSigningKey(deps: KeyDeps, prepared?: Promise<NewKey>): Promise<void> {
  await makeSigningKey(deps, 'signing_keys', prepared);
  await deps.keys.reload();
}

/** Like `ensureSigningKey`, for the tokens of applications. If JWT_SECRET was lost, every grant is ended. */
export async function ensureApplicationKey(
  deps: KeyDeps & Pick<Deps, 'applicationKeys'>,
  prepared?: Promise<NewKey>,
): Promise<void> {
  await makeSigningKey(deps, 'application_keys', prepared);
  await deps.applicationKeys.reload();
}

async function makeSigningKey(deps: KeyDeps, table: KeyTable, prepared: Promise<NewKey> | undefined): Promise<void> {
  const existing = await listSigningKeys(deps.db, table);
  if (existing.some((row) => isUsable(deps.keyring, row))) return;
  const key = await (prepared ?? generateSigningKey());
  if (existing.length > 0 && table === 'signing_keys') await endAllSessions(deps);
  const made = await transact(deps.db, async (tx) => {
    await lock(tx, KEYS_LOCK);
    const now = deps.clock.now();
    const rows = await listSigningKeys(tx, table);
    // Another replica has created a key in the meantime.
    if (rows.some((row) => isUsable(deps.keyring, row))) return undefined;
    const lost = rows.filter((row) => !openPrivateKey(deps.keyring, row)).map((row) => row.kid);
    const retired = lost.length > 0 ? await retireSigningKeys(tx, table, lost, now) : [];
    if (retired.length > 0 && table === 'application_keys') await updateEndedGrants(tx, {}, now);
    for (const { kid } of retired) await auditKey(tx, deps, 'signing_key.retired', kid);
    await storeSigningKey(tx, deps.keyring, key, { table, now, signs_from: now });
    await auditKey(tx, deps, 'signing_key.created', key.kid);
    await deps.bus.announce(tx, now, [{ topic: 'signing_keys', key: key.kid }]);
    return retired.length;
  });
  if (made) deps.log.warn({ retired: made }, 'JWT_SECRET decrypts none of the signing keys: they are retired');
}

/**
 * Ends all sessions: without the lost secret, none can be refreshed. Runs in batches, since there may be millions of
 * sessions, and before the new key is created, so that an interrupted start begins here again.
 */
async function endAllSessions(deps: KeyDeps): Promise<void> {
  let revoked = 0;
  for (let batch = BATCH_SIZE; batch === BATCH_SIZE; revoked += batch) {
    batch = await transact(deps.db, async (tx) => {
      await lock(tx, KEYS_LOCK);
      // Another replica has already created the new key: sessions created since then are kept.
      const usable = (await listSigningKeys(tx)).some((row) => isUsable(deps.keyring, row));
      return usable ? 0 : revokeAnySessions(tx, deps.clock.now(), BATCH_SIZE);
    });
  }
  if (revoked > 0) deps.log.warn({ revoked }, 'sessions were revoked');
}

/** Creates the key for restricted sessions when the first policy needs it. Other replicas learn of it by the bus. */
export async function ensureRestrictedKey(deps: KeyDeps): Promise<void> {
  const current = deps.keys.current();
  if (!current || current.restricted) return;
  const key = await generateSigningKey();
  await transact(deps.db, async (tx) => {
    if (!(await storeRestrictedKey(tx, deps.keyring, current.kid, key))) return;
    await deps.bus.announce(tx, deps.clock.now(), [{ topic: 'signing_keys', key: current.kid }]);
  });
  await deps.keys.reload();
}

/** Thrown by `keys rotate`: JWT_SECRET unseals no usable key, so a new key under this secret would be unusable too. */
export class LostSecretError extends Error {}

/** Seconds between the publication of a key and its first use, longer than any cache of the key set. */
const LEAD_SECONDS = 600;
const SKEW_SECONDS = 60;

interface Rotation {
  readonly kid: string;
  readonly signs_from: Date;
  readonly previous_until: Date;
}

/** `keys rotate`: publishes a key that signs after `LEAD_SECONDS`. The old one is kept until its tokens expire. */
export async function rotateSigningKey(deps: KeyDeps): Promise<Rotation> {
  await deps.keys.reload();
  const rotation = await rotateKey(deps, 'signing_keys');
  await deps.keys.reload();
  return rotation;
}

/** `keys rotate --applications`: like `rotateSigningKey`, for the key that signs the tokens of applications. */
export async function rotateApplicationKey(deps: KeyDeps & Pick<Deps, 'applicationKeys'>): Promise<Rotation> {
  const rotation = await rotateKey(deps, 'application_keys');
  await deps.applicationKeys.reload();
  return rotation;
}

async function rotateKey(deps: KeyDeps, table: KeyTable): Promise<Rotation> {
  const key = await generateSigningKey();
  const hasRestricted = table === 'signing_keys' && deps.keys.current()?.restricted !== undefined;
  const restricted = hasRestricted ? await generateSigningKey() : undefined;
  return transact(deps.db, async (tx) => {
    await lock(tx, KEYS_LOCK);
    const now = deps.clock.now();
    const signs_from = after(now, LEAD_SECONDS);
    const previous_until = after(signs_from, deps.config.ACCESS_TOKEN_TTL + SKEW_SECONDS);
    const rows = await listSigningKeys(tx, table);
    if (!rows.some((row) => isUsable(deps.keyring, row))) return commitAndFail(new LostSecretError());
    for (const row of rows) await updateSigningKeyEnd(tx, table, row.kid, previous_until);
    await storeSigningKey(tx, deps.keyring, key, { table, now, signs_from });
    if (restricted) await storeRestrictedKey(tx, deps.keyring, key.kid, restricted);
    await auditKey(tx, deps, 'signing_key.created', key.kid);
    await deps.bus.announce(tx, now, [{ topic: 'signing_keys', key: key.kid }]);
    return { kid: key.kid, signs_from, previous_until };
  });
}

const auditKey = (
  tx: Parameters<typeof recordAudit>[0],
  deps: KeyDeps,
  action: 'signing_key.created' | 'signing_key.retired',
  kid: string,
) =>
  recordAudit(tx, SYSTEM, {
    action,
    now: deps.clock.now(),
    resource_type: 'signing_key',
    resource_id: kid,
    metadata: {},
  });
