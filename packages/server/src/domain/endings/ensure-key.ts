import { after } from '../../platform/clock.ts';
import type { Tx } from '../../platform/db/connect.ts';
import { lock } from '../../platform/db/lock.ts';
import { commitAndFail, transact } from '../../platform/db/transact.ts';
import { recordAudit } from '../audit/record.ts';
import type { Deps } from '../context.ts';
import { SYSTEM } from '../kernel/caller.ts';
import { endAnyGrants } from '../oauth-server/grants/queries.ts';
import { revokeAnySessions } from '../sessions/queries.ts';
import {
  generateSigningKey,
  isUsable,
  type NewKey,
  openPrivateKey,
  storeRestrictedKey,
  storeSigningKey,
} from '../signing-keys/keys.ts';
import {
  deleteLostReplicas,
  type KeyRow,
  type KeyTable,
  listKeysInUse,
  listSigningKeys,
  retireSigningKeys,
  updateKeysReset,
  updateSigningKeyEnd,
  upsertReplica,
} from '../signing-keys/queries.ts';

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
/** A process that was seen within this time counts as running. Each one reports every ten seconds. */
const SEEN_SECONDS = 60;

/** Another process signs with a key that JWT_SECRET cannot open. Nothing was changed. */
export class OtherSecretError extends Error {
  constructor() {
    super('another process signs with a key that JWT_SECRET cannot open');
  }
}

interface Start {
  readonly prepared?: Promise<NewKey> | undefined;
  /** The id under which this process is listed in `replicas`; undefined for commands. */
  readonly replica?: string;
}

/**
 * At start: ensures that there is a signing key that this process can use, and lists the process in `replicas`. The
 * first start creates a key. Under another secret, the keys of the first one stay as they are, and a new key is
 * created; but while a process that uses one of them runs, throws `OtherSecretError`. A lock serializes starts, so
 * replicas that start together share one key, and of two with different secrets one fails
 * (docs/reference/sessions.md#secrets).
 */
export async function ensureSigningKey(deps: KeyDeps, start: Start = {}): Promise<void> {
  await makeSigningKey(deps, 'signing_keys', start);
  await deps.keys.reload();
}

/** Like `ensureSigningKey`, for the tokens of applications. */
export async function ensureApplicationKey(
  deps: KeyDeps & Pick<Deps, 'applicationKeys'>,
  prepared?: Promise<NewKey>,
): Promise<void> {
  await makeSigningKey(deps, 'application_keys', { prepared });
  await deps.applicationKeys.reload();
}

async function makeSigningKey(deps: KeyDeps, table: KeyTable, { prepared, replica }: Start): Promise<void> {
  const usableIn = (rows: readonly KeyRow[]) => rows.some((row) => isUsable(deps.keyring, row));
  const hasUsable = usableIn(await listSigningKeys(deps.db, table));
  const key = hasUsable ? undefined : await (prepared ?? generateSigningKey());
  const made = await transact(deps.db, async (tx) => {
    await lock(tx, KEYS_LOCK);
    const rows = await listSigningKeys(tx, table);
    if (await isSealedKeyInUse(tx, deps)) return commitAndFail(new OtherSecretError());
    // Another replica may have created a key in the meantime.
    const isNew = key !== undefined && !usableIn(rows);
    if (isNew) {
      const now = deps.clock.now();
      await storeSigningKey(tx, deps.keyring, key, { table, now, signs_from: now, replaces_sealed: rows.length > 0 });
      await auditKey(tx, deps, 'signing_key.created', key.kid);
      await deps.bus.announce(tx, now, [{ topic: 'signing_keys', key: key.kid }]);
    }
    if (replica !== undefined) {
      await deleteLostReplicas(tx);
      const current = rows.findLast((row) => isUsable(deps.keyring, row));
      await upsertReplica(tx, { id: replica, kid: isNew ? key.kid : current!.kid });
    }
    return isNew && rows.length > 0;
  });
  if (made)
    deps.log.warn({}, 'JWT_SECRET decrypts none of the signing keys: sessions under the other secret do not work');
}

/** Whether a process was seen that signs with a key which this one cannot open. */
async function isSealedKeyInUse(tx: Tx, { keyring }: KeyDeps): Promise<boolean> {
  const used = new Set(await listKeysInUse(tx, SEEN_SECONDS));
  const rows = await listSigningKeys(tx);
  return rows.some((row) => used.has(row.kid) && !openPrivateKey(keyring, row));
}

interface Reset {
  readonly keys: number;
  readonly sessions: number;
  readonly grants: number;
}

/**
 * `keys reset`: ends the keys that JWT_SECRET cannot open, with the sessions and grants under them. Sessions are ended
 * first, in batches, since there may be millions; keys last, so that an interrupted reset can be repeated. Without a
 * key of its own, or if that one replaced the others, the sessions under the others are those that began before it;
 * otherwise, all that began since the first key of the other secret.
 */
export async function resetKeys(deps: KeyDeps): Promise<Reset> {
  const sealed: { readonly table: KeyTable; readonly kid: string }[] = [];
  let own: KeyRow | undefined;
  let first: Date | undefined;
  for (const table of ['signing_keys', 'application_keys'] as const) {
    const rows = await listSigningKeys(deps.db, table);
    const isListed = ({ published_until }: KeyRow) => published_until === null || published_until > deps.clock.now();
    const closed = rows.filter((row) => isListed(row) && !openPrivateKey(deps.keyring, row));
    sealed.push(...closed.map(({ kid }) => ({ table, kid })));
    if (table === 'application_keys') continue;
    own = rows.findLast((row) => isUsable(deps.keyring, row));
    first = closed.map(({ created_at }) => created_at).sort((a, b) => a.getTime() - b.getTime())[0];
  }
  if (sealed.length === 0) return { keys: 0, sessions: 0, grants: 0 };
  const began =
    own && !own.replaces_sealed && first
      ? { since: first, before: deps.clock.now() }
      : { since: new Date(0), before: own?.created_at ?? deps.clock.now() };
  const inBatches = async (end: (tx: Tx, now: Date) => Promise<number>): Promise<number> => {
    let ended = 0;
    for (let batch = BATCH_SIZE; batch === BATCH_SIZE; ended += batch) {
      batch = await transact(deps.db, async (tx) => {
        await lock(tx, KEYS_LOCK);
        if (await isSealedKeyInUse(tx, deps)) return commitAndFail(new OtherSecretError());
        return end(tx, deps.clock.now());
      });
    }
    return ended;
  };
  const sessions = await inBatches((tx, now) => revokeAnySessions(tx, { now, began, limit: BATCH_SIZE }));
  const grants = await inBatches((tx, now) => endAnyGrants(tx, { now, began, limit: BATCH_SIZE }));
  await transact(deps.db, async (tx) => {
    await lock(tx, KEYS_LOCK);
    if (await isSealedKeyInUse(tx, deps)) throw new OtherSecretError();
    const now = deps.clock.now();
    for (const table of ['signing_keys', 'application_keys'] as const) {
      const kids = sealed.filter((key) => key.table === table).map(({ kid }) => kid);
      const retired = kids.length > 0 ? await retireSigningKeys(tx, table, kids, now) : [];
      for (const { kid } of retired) await auditKey(tx, deps, 'signing_key.retired', kid);
      await updateKeysReset(tx, table);
    }
    await deps.bus.announce(tx, now, [
      { topic: 'signing_keys', key: 'reset' },
      { topic: 'user', key: '*' },
      { topic: 'grant', key: '*' },
    ]);
  });
  return { keys: sealed.length, sessions, grants };
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
/** The same for a successor by age: longer, since no command waits for it. */
const TURN_LEAD_SECONDS = 86_400;
/** Older than any key, so that `never` is a valid time. */
const NEVER_SECONDS = 3_155_760_000;

interface Rotation {
  readonly kid: string;
  readonly signs_from: Date;
  readonly previous_until: Date;
}

/** `keys rotate`: publishes a key that signs after `LEAD_SECONDS`. The old one is kept until its tokens expire. */
export async function rotateSigningKey(deps: KeyDeps): Promise<Rotation> {
  await deps.keys.reload();
  const rotation = await rotateKey(deps, 'signing_keys', { lead: LEAD_SECONDS });
  await deps.keys.reload();
  return rotation!;
}

type AllKeyDeps = KeyDeps & Pick<Deps, 'applicationKeys'>;

/** `keys rotate --applications`: like `rotateSigningKey`, for the key that signs the tokens of applications. */
export async function rotateApplicationKey(deps: AllKeyDeps): Promise<Rotation> {
  const rotation = await rotateKey(deps, 'application_keys', { lead: LEAD_SECONDS });
  await deps.applicationKeys.reload();
  return rotation!;
}

/** Gives each key that has reached SIGNING_KEY_MAX_AGE a successor, once for all replicas. */
export async function turnOldKeys(deps: AllKeyDeps): Promise<void> {
  const oldest = after(deps.clock.now(), -Math.min(deps.config.SIGNING_KEY_MAX_AGE, NEVER_SECONDS));
  for (const [keys, table] of [
    [deps.keys, 'signing_keys'],
    [deps.applicationKeys, 'application_keys'],
  ] as const) {
    const newest = keys.all().at(-1);
    if (!newest || newest.publishedUntil !== null || newest.signsFrom > oldest) continue;
    if (await rotateKey(deps, table, { lead: TURN_LEAD_SECONDS, only: newest.kid })) await keys.reload();
  }
}

interface HowToRotate {
  /** Seconds between the publication of the successor and its first use. */
  readonly lead: number;
  /** Rotates only if this is still the newest key. */
  readonly only?: string;
}

async function rotateKey(deps: KeyDeps, table: KeyTable, { lead, only }: HowToRotate): Promise<Rotation | undefined> {
  const key = await generateSigningKey();
  const hasRestricted = table === 'signing_keys' && deps.keys.current()?.restricted !== undefined;
  const restricted = hasRestricted ? await generateSigningKey() : undefined;
  return transact(deps.db, async (tx) => {
    await lock(tx, KEYS_LOCK);
    const now = deps.clock.now();
    const signs_from = after(now, lead);
    const previous_until = after(signs_from, deps.config.ACCESS_TOKEN_TTL + SKEW_SECONDS);
    const rows = (await listSigningKeys(tx, table)).filter((row) => openPrivateKey(deps.keyring, row));
    const newest = rows.at(-1);
    if (only !== undefined && newest?.kid !== only) return undefined;
    if (!newest || !rows.some((row) => isUsable(deps.keyring, row))) return commitAndFail(new LostSecretError());
    for (const row of rows) await updateSigningKeyEnd(tx, table, row.kid, previous_until);
    await storeSigningKey(tx, deps.keyring, key, { table, now, signs_from, replaces_sealed: newest.replaces_sealed });
    if (restricted) await storeRestrictedKey(tx, deps.keyring, key.kid, restricted);
    await auditKey(tx, deps, 'signing_key.created', key.kid);
    await deps.bus.announce(tx, now, [{ topic: 'signing_keys', key: key.kid }]);
    return { kid: key.kid, signs_from, previous_until };
  });
}

const auditKey = (tx: Tx, deps: KeyDeps, action: 'signing_key.created' | 'signing_key.retired', kid: string) =>
  recordAudit(tx, SYSTEM, {
    action,
    now: deps.clock.now(),
    resource_type: 'signing_key',
    resource_id: kid,
    metadata: {},
  });
