import type { Provider } from '@gatehouse/contract';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTestClock } from '../../../test/clock.ts';
import { createTestDatabase, type TestDatabase } from '../../../test/database.ts';
import { auditOf, untilBlocked } from '../../../test/records.ts';
import { type Bus, createBus } from '../../platform/bus/bus.ts';
import { openBusConnection } from '../../platform/bus/connection.ts';
import { sealedUnder } from '../../platform/crypto/seal.ts';
import { createLogger } from '../../platform/log.ts';
import { findProviderRow, listProviderRows, upsertProviderRow } from './queries.ts';
import { rotateProviderSecrets } from './rotate.ts';
import { keyringOf, LOST_KEY, NEW_KEY, OLD_KEY, rowOf, storeRow } from './rows-fixture.ts';
import { openProviderSecret } from './secret.ts';

let database: TestDatabase;
let bus: Bus;
const clock = createTestClock();
beforeEach(async () => {
  database = await createTestDatabase();
  const log = createLogger({ level: 'silent' });
  bus = createBus(openBusConnection(database.address, log), log);
});
afterEach(() => database.close());

const both = keyringOf(NEW_KEY, OLD_KEY);
const rotate = (over: Bus = bus) => rotateProviderSecrets({ db: database.db, clock, bus: over, configKeyring: both });
const store = (...args: Parameters<typeof rowOf>) => storeRow(database.db, rowOf(...args));
const find = async (provider: Provider) => (await findProviderRow(database.db, provider))!;
const openWith = async (key: string, provider: Provider) => openProviderSecret(keyringOf(key), await find(provider));
const announced = async () =>
  (await database.db.selectFrom('bus_events').select(['topic', 'key']).orderBy('key').execute()).map(
    ({ topic, key }) => `${topic} ${key}`,
  );
const audited = async () =>
  (await auditOf(database, { action: 'integration.updated' })).map(({ resource_id }) => resource_id);

describe('config-key rotate', () => {
  it('seals the secrets of the old key under the new one, also of disabled rows, and changes nothing else', async () => {
    await store('email_transport', { key: OLD_KEY, secret: 're_mail' });
    await store('oauth_b', { key: OLD_KEY, enabled: false });
    await store('oauth_d', { key: OLD_KEY });
    await store('oauth_a');
    await store('oauth_c', { sealed_secret: null });
    const before = await listProviderRows(database.db);
    expect(await rotate()).toEqual({ done: ['email_transport', 'oauth_b', 'oauth_d'], lost: [] });

    expect(await openWith(NEW_KEY, 'email_transport')).toEqual({ secret: 're_mail' });
    expect(await openWith(NEW_KEY, 'oauth_b')).toEqual({ secret: 're_hush of oauth_b' });
    expect(await openWith(NEW_KEY, 'oauth_d')).toEqual({ secret: 're_hush of oauth_d' });
    for (const { sealed_secret, ...row } of before) {
      const { sealed_secret: now, ...same } = await find(row.provider);
      expect(same).toEqual(row);
      if (['oauth_a', 'oauth_c'].includes(row.provider)) expect(now).toBe(sealed_secret);
    }
  });

  it('a rotation is audited by key id, without the secret, and announced on the bus', async () => {
    await store('oauth_a', { key: OLD_KEY });
    await store('oauth_b', { key: OLD_KEY, enabled: false });
    await rotate();
    const rows = await auditOf(database);
    expect(rows).toMatchObject([
      {
        action: 'integration.updated',
        actor_type: 'system',
        actor_id: null,
        resource_type: 'integration',
        resource_id: 'oauth_a',
        timestamp: clock.now(),
        metadata: { provider: 'oauth_a', key_id: both.current.id, enabled: true },
      },
      { resource_id: 'oauth_b', metadata: { provider: 'oauth_b', key_id: both.current.id, enabled: false } },
    ]);
    expect(JSON.stringify(rows)).not.toContain('re_hush');
    expect(await announced()).toEqual(['providers oauth_a', 'providers oauth_b']);
  });

  it('a second rotation does nothing', async () => {
    await store('oauth_a', { key: OLD_KEY });
    await rotate();
    const { sealed_secret } = await find('oauth_a');
    expect(await rotate()).toEqual({ done: [], lost: [] });
    expect((await find('oauth_a')).sealed_secret).toBe(sealed_secret);
    expect(await audited()).toEqual(['oauth_a']);
  });

  it('leaves secrets unchanged that neither key can unseal', async () => {
    await store('oauth_a', { key: LOST_KEY });
    await store('oauth_b', { sealed_secret: rowOf('oauth_a', { key: OLD_KEY }).sealed_secret });
    await store('oauth_e', { key: OLD_KEY });
    const before = await Promise.all([find('oauth_a'), find('oauth_b')]);
    expect(await rotate()).toEqual({ done: ['oauth_e'], lost: ['oauth_a', 'oauth_b'] });
    expect(await Promise.all([find('oauth_a'), find('oauth_b')])).toEqual(before);
    expect(await audited()).toEqual(['oauth_e']);
  });
});

describe('config-key rotate, interrupted', () => {
  it('an interrupted rotation has rotated whole rows, and a second run continues with the others', async () => {
    for (const provider of ['oauth_a', 'oauth_b', 'oauth_c'] as const) await store(provider, { key: OLD_KEY });
    const dying: Bus = {
      ...bus,
      async announce(tx, now, events) {
        if (events[0]?.key === 'oauth_b') throw new Error('killed');
        await bus.announce(tx, now, events);
      },
    };
    await expect(rotate(dying)).rejects.toThrow('killed');
    const keys = (await listProviderRows(database.db))
      .sort((a, b) => a.provider.localeCompare(b.provider))
      .map(({ sealed_secret }) => sealedUnder(sealed_secret!));
    expect(keys).toEqual([both.current.id, both.previous!.id, both.previous!.id]);
    expect(await audited()).toEqual(['oauth_a']);

    expect(await rotate()).toEqual({ done: ['oauth_b', 'oauth_c'], lost: [] });
    expect(await audited()).toEqual(['oauth_a', 'oauth_b', 'oauth_c']);
    expect(await announced()).toEqual(['providers oauth_a', 'providers oauth_b', 'providers oauth_c']);
  });
});

describe('config-key rotate with a concurrent save', () => {
  /** A PUT that has written but not committed when the rotation reaches its row. */
  const during = async (change: Omit<Parameters<typeof upsertProviderRow>[1], 'now'>) => {
    const put = await database.db.startTransaction().execute();
    await upsertProviderRow(put, { ...change, now: clock.now() });
    const rotating = rotate();
    await untilBlocked(database, 1);
    await put.commit().execute();
    return rotating;
  };

  it('a secret that is saved during the rotation is kept, without an error', async () => {
    await store('oauth_a', { key: OLD_KEY, secret: 'before' });
    await store('oauth_b', { key: OLD_KEY });
    expect(await during(rowOf('oauth_a', { secret: 'saved meanwhile' }))).toEqual({ done: ['oauth_b'], lost: [] });
    expect(await openWith(NEW_KEY, 'oauth_a')).toEqual({ secret: 'saved meanwhile' });
    expect(await audited()).toEqual(['oauth_b']);
  });

  it('a secret that another replica saves under the old key during the rotation is sealed under the new key', async () => {
    await store('oauth_a', { key: OLD_KEY, secret: 'before' });
    const saved = rowOf('oauth_a', { key: OLD_KEY, secret: 'saved meanwhile' });
    expect(await during(saved)).toEqual({ done: ['oauth_a'], lost: [] });
    expect(await openWith(NEW_KEY, 'oauth_a')).toEqual({ secret: 'saved meanwhile' });
    expect(await audited()).toEqual(['oauth_a']);
  });

  it('other fields that are saved during the rotation are kept, and the audit row of the rotation contains them', async () => {
    await store('oauth_a', { key: OLD_KEY, secret: 'kept' });
    const changes = { enabled: false, public_config: { client_id: 'other' } };
    const saved = { ...rowOf('oauth_a', changes), sealed_secret: undefined };
    expect(await during(saved)).toEqual({ done: ['oauth_a'], lost: [] });
    expect(await find('oauth_a')).toMatchObject(changes);
    expect(await openWith(NEW_KEY, 'oauth_a')).toEqual({ secret: 'kept' });
    expect((await auditOf(database))[0]?.metadata).toMatchObject({ enabled: false });
  });
});
