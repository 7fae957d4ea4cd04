import { v7 as uuid } from 'uuid';
import { describe, expect, it } from 'vitest';
import { SECRET, useTestApp } from '../../../test/harness.ts';
import { rotateSigningKey } from '../../domain/endings/ensure-key.ts';
import { after } from '../../platform/clock.ts';
import { loadConfig } from '../../platform/config/load.ts';
import { createKeyring } from '../../platform/crypto/keyring.ts';
import { SEALED_COLUMNS } from '../../platform/crypto/sealed-columns.ts';
import { resealColumns } from '../../platform/db/reseal.ts';
import { examineKeys, examinePrevious } from './key-ages.ts';

const NEW = `${SECRET} changed`;
const DAY = 86_400;

const app = useTestApp();

const configOf = (secrets = {}) =>
  loadConfig({ JWT_SECRET: SECRET, PUBLIC_BASE_URL: 'https://id.example.com', ...secrets });
const examine = (secrets = {}) => examineKeys(configOf(secrets), app.deps.db, app.clock);
const previous = (secrets = {}) => examinePrevious(configOf(secrets), app.deps.db);
const BOTH = { JWT_SECRET: NEW, JWT_SECRET_PREVIOUS: SECRET };

describe('doctor: signing keys', () => {
  it('fails if JWT_SECRET decrypts none of the keys', async () => {
    expect(await examine({ JWT_SECRET: NEW })).toMatchObject([{ check: 'signing keys', status: 'failed' }]);
    expect(await examine(BOTH)).toMatchObject([{ status: 'ok' }, {}]);
  });

  it('reports the age, warns about an old key that gets no successor, and reports a published successor', async () => {
    const start = (await app.deps.db.selectFrom('signing_keys').select('signs_from').executeTakeFirstOrThrow())
      .signs_from;
    app.clock.set(after(start, 90 * DAY));
    expect(await examine()).toMatchObject([{ status: 'ok' }, { check: 'key age', status: 'ok' }]);
    app.clock.set(after(start, 90 * DAY + 1));
    expect(await examine()).toMatchObject([{ status: 'ok' }, { check: 'key age', status: 'ok' }]);
    expect(await examine({ SIGNING_KEY_MAX_AGE: 'never' })).toMatchObject([
      { status: 'ok' },
      { check: 'key age', status: 'warning', fix: expect.stringContaining('npx gatehouse keys rotate') },
    ]);
    await rotateSigningKey(app.deps);
    expect(await examine()).toMatchObject([
      { status: 'ok', detail: expect.stringContaining('2 published') },
      { status: 'ok', detail: 'the next key is published and signs in 10 minutes' },
    ]);
    app.clock.advance(601);
    expect(await examine()).toMatchObject([{}, { status: 'ok', detail: 'the signing key is 1 second old' }]);
  });
});

describe('doctor: JWT_SECRET_PREVIOUS', () => {
  it('has no finding if JWT_SECRET_PREVIOUS is unset', async () => expect(await previous()).toEqual([]));

  it('reports what is still encrypted with the previous secret, and when JWT_SECRET_PREVIOUS can be unset', async () => {
    const now = app.clock.now();
    // The mail is due tomorrow, so that the mail worker does not send it.
    const times = {
      created_at: now,
      next_attempt_at: after(now, DAY),
      expires_at: after(now, 2 * DAY),
      finished_at: null,
    };
    const sealed = `v1:${createKeyring(SECRET).current.id}:AAAA`;
    await app.deps.db
      .insertInto('mails')
      .values({
        id: uuid(),
        template: 'verify_email',
        locale: 'en',
        state: 'queued',
        sealed,
        last_error: null,
        ...times,
      })
      .execute();
    const [needed] = await previous(BOTH);
    expect(needed).toMatchObject({ check: 'JWT_SECRET_PREVIOUS', status: 'warning' });
    expect(needed!.detail).toBe('3 signing keys and 1 queued mail still encrypted with it');
    expect(needed!.fix).toContain('npx gatehouse keys rewrap');
    const columns = SEALED_COLUMNS.filter(({ noun }) => noun === 'signing key');
    await resealColumns(app.deps.db, createKeyring(NEW, SECRET), columns);
    expect(await previous(BOTH)).toMatchObject([{ detail: '1 queued mail still encrypted with it' }]);
    await app.deps.db.deleteFrom('mails').execute();
    expect(await previous(BOTH)).toMatchObject([
      { status: 'ok', detail: expect.stringContaining('unset it 30 days after the change') },
    ]);
  });
});
