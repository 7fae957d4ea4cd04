import { after } from '../../platform/clock.ts';
import { lock } from '../../platform/db/lock.ts';
import { transact } from '../../platform/db/transact.ts';
import { recordAudit } from '../audit/record.ts';
import { type Deps, SYSTEM } from '../context.ts';
import { generateSigningKey, isUsable, type NewKey, storeSigningKey } from './keys.ts';
import { listSigningKeys, retireSigningKeys, revokeAllSessions, updateSigningKeyEnd } from './queries.ts';

type KeyDeps = Pick<Deps, 'db' | 'bus' | 'clock' | 'log' | 'keys' | 'keyring' | 'config'>;

const KEYS_LOCK = 'signing keys';

/**
 * At start: a key that can sign exists. On the first start one is made; when JWT_SECRET was lost, the keys that cannot be
 * unsealed are retired, a new one is made and every family is revoked (the contract, section 4). Replicas that start
 * together wait for one another and share the first one's key.
 */
export async function ensureSigningKey(deps: KeyDeps, prepared?: Promise<NewKey>): Promise<void> {
  await makeSigningKey(deps, prepared);
  await deps.keys.reload();
}

async function makeSigningKey(deps: KeyDeps, prepared: Promise<NewKey> | undefined): Promise<void> {
  if ((await listSigningKeys(deps.db)).some((row) => isUsable(deps.keyring, row))) return;
  const key = await (prepared ?? generateSigningKey());
  const made = await transact(deps.db, async (tx) => {
    await lock(tx, KEYS_LOCK);
    const now = deps.clock.now();
    const rows = await listSigningKeys(tx);
    // Another replica has made one since we looked.
    if (rows.some((row) => isUsable(deps.keyring, row))) return undefined;
    const lost = rows.filter((row) => row.sealed_private_key).map((row) => row.kid);
    let revoked = 0;
    if (lost.length > 0) {
      await retireSigningKeys(tx, lost, now);
      revoked = await revokeAllSessions(tx, now);
      for (const kid of lost) await auditKey(tx, deps, 'signing_key.retired', kid);
    }
    await storeSigningKey(tx, deps.keyring, key, { now, signs_from: now });
    await auditKey(tx, deps, 'signing_key.created', key.kid);
    await deps.bus.announce(tx, now, [{ topic: 'signing_keys', key: key.kid }]);
    return { lost: lost.length, revoked };
  });
  if (made && made.lost > 0) {
    deps.log.warn(made, 'JWT_SECRET opens none of the signing keys: they are retired, and every session has ended');
  }
}

/** Longer than any cache of the key set: a key is published well before it signs. */
const LEAD = 600;
const SKEW = 60;

export interface Rotation {
  readonly kid: string;
  readonly signs_from: Date;
  readonly previous_until: Date;
}

/** `keys rotate`: the next key is published now, signs after the lead, and the old one stays until its last token is dead. */
export async function rotateSigningKey(deps: KeyDeps): Promise<Rotation> {
  await deps.keys.reload();
  const key = await generateSigningKey();
  const rotation = await transact(deps.db, async (tx) => {
    await lock(tx, KEYS_LOCK);
    const now = deps.clock.now();
    const signs_from = after(now, LEAD);
    const previous_until = after(signs_from, deps.config.ACCESS_TOKEN_TTL + SKEW);
    for (const row of await listSigningKeys(tx)) await updateSigningKeyEnd(tx, row.kid, previous_until);
    await storeSigningKey(tx, deps.keyring, key, { now, signs_from });
    await auditKey(tx, deps, 'signing_key.created', key.kid);
    await deps.bus.announce(tx, now, [{ topic: 'signing_keys', key: key.kid }]);
    return { kid: key.kid, signs_from, previous_until };
  });
  await deps.keys.reload();
  return rotation;
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
