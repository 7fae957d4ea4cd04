import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { useTestDatabase } from '../../../test/database.ts';
import { createMailFixture, type MailFixture } from '../../../test/mail-queue.ts';
import { after } from '../../platform/clock.ts';
import { createKeyring } from '../../platform/crypto/keyring.ts';
import { sealedUnder } from '../../platform/crypto/seal.ts';
import { sealedColumnsOf } from '../../platform/crypto/sealed-columns.ts';
import { resealColumn } from '../../platform/db/reseal.ts';
import { commitAndFail, transact } from '../../platform/db/transact.ts';
import { enqueueMail, prepareMail } from './enqueue.ts';
import {
  claimMails,
  countMails,
  deleteFinishedMails,
  insertMail,
  mailAlong,
  updateFailedMail,
  updateSentMail,
} from './queries.ts';
import { openContent } from './sealed-content.ts';

const database = useTestDatabase({ poolSize: 10 });
let mail: MailFixture;
beforeEach(async () => {
  mail = await createMailFixture(database);
});
afterEach(() => mail.close());

const outgoing = () =>
  ({
    template: 'verify_email',
    locale: 'de',
    to: 'ada@example.com',
    params: { link: 'https://id.example.com/verify-email?token=hush', hours: 24 },
    expires_at: after(mail.clock.now(), 86400),
  }) as const;
const queue = () => ({ ...mail, transport: () => mail.transport, wake: () => void mail.wakes.count++ });
const claim = (limit: number) => {
  const now = mail.clock.now();
  return claimMails(mail.database.db, { now, leased_until: after(now, 60), limits: { regular: limit, bound: 0 } });
};

describe('the mail queue', () => {
  it('stores recipient and parameters sealed, and wakes the worker after the commit', async () => {
    const id = await transact(mail.database.db, async (tx) => {
      const made = await enqueueMail(tx, queue(), outgoing());
      expect(mail.wakes.count).toBe(0);
      return made;
    });
    expect(mail.wakes.count).toBe(1);
    const row = await mail.find(id);
    expect(row).toMatchObject({
      state: 'queued',
      template: 'verify_email',
      locale: 'de',
      attempts: 0,
      finished_at: null,
    });
    expect(JSON.stringify(row)).not.toMatch(/hush|ada@/);
    const { to, params } = outgoing();
    expect(openContent(mail.keyring, id, row.sealed)).toEqual({ to, params });
    expect(
      openContent(
        mail.keyring,
        id.replace(/.$/, (end) => (end === '0' ? '1' : '0')),
        row.sealed,
      ),
    ).toBeUndefined();
  });

  it('queues nothing if the transaction fails, and keeps the mail with commitAndFail', async () => {
    const thrown = transact(mail.database.db, async (tx) => {
      await enqueueMail(tx, queue(), outgoing());
      throw new Error('no');
    });
    await expect(thrown).rejects.toThrow('no');
    expect(await countMails(mail.database.db)).toMatchObject({ queued: 0 });
    expect(mail.wakes.count).toBe(0);
    const failed = transact(mail.database.db, async (tx) => {
      await enqueueMail(tx, queue(), outgoing());
      return commitAndFail(new Error('refused'));
    });
    await expect(failed).rejects.toThrow('refused');
    expect(await countMails(mail.database.db)).toEqual({ queued: 1, sent: 0, failed: 0, expired: 0 });
    expect(mail.wakes.count).toBe(1);
  });

  it('mailAlong queues the mail within another statement, only if the given CTE has a row', async () => {
    const { db } = mail.database;
    const [along, alone, idle] = [
      prepareMail(mail, outgoing()),
      prepareMail(mail, outgoing()),
      prepareMail(mail, outgoing()),
    ];
    await sql`with source as (select 1), queued as (${mailAlong(along, sql`source`)}) select 1`.execute(db);
    await sql`with source as (select 1 where false), queued as (${mailAlong(idle, sql`source`)}) select 1`.execute(db);
    await transact(db, (tx) => insertMail(tx, alone));
    const [first, second] = [await mail.find(along.id), await mail.find(alone.id)];
    expect({ ...first, id: second.id, sealed: second.sealed }).toEqual(second);
    const { to, params } = outgoing();
    expect(openContent(mail.keyring, along.id, first.sealed)).toEqual({ to, params });
    expect(await countMails(db)).toMatchObject({ queued: 2 });
    expect((await claim(10)).map(({ id }) => id).sort()).toEqual([along.id, alone.id].sort());
  });

  it('gives each due mail to one claim, oldest first, and again when the lease has expired', async () => {
    const ids = [];
    for (let made = 0; made < 6; made++) {
      ids.push(await mail.enqueue());
      mail.clock.advance(1);
    }
    const claims = await Promise.all([claim(2), claim(2), claim(2), claim(2)]);
    expect(
      claims
        .flat()
        .map((row) => row.id)
        .sort(),
    ).toEqual([...ids].sort());
    expect(await claim(10)).toEqual([]);
    mail.clock.advance(60);
    const [first] = await claim(1);
    expect(first).toMatchObject({ attempts: 2 });
  });

  it('accepts success but not failure from a worker whose lease has expired', async () => {
    const id = await mail.enqueue();
    const [stale] = await claim(1);
    mail.clock.advance(61);
    await claim(1);
    const { db } = mail.database;
    const now = mail.clock.now();
    await updateFailedMail(db, { id, attempts: stale!.attempts, last_error: 'timeout', now });
    expect((await mail.find(id)).state).toBe('queued');
    await updateSentMail(db, { id, now });
    expect(await mail.find(id)).toMatchObject({ state: 'sent', sealed: null, finished_at: now });
  });

  it('sweeps mails that ended more than 30 days ago', async () => {
    const [old, young, waiting] = [await mail.enqueue(), await mail.enqueue(), await mail.enqueue()];
    const { db } = mail.database;
    await updateSentMail(db, { id: old, now: mail.clock.now() });
    mail.clock.advance(86400);
    await updateSentMail(db, { id: young, now: mail.clock.now() });
    mail.clock.advance(29 * 86400 + 1);
    expect(await deleteFinishedMails(db, mail.clock.now(), 10)).toBe(1);
    const left = await db.selectFrom('mails').select('id').execute();
    expect(left.map((row) => row.id).sort()).toEqual([young, waiting].sort());
  });
});

describe('keys rewrap', () => {
  it('seals queued mails under the new key, in batches, except mails that already are under it or cannot be unsealed', async () => {
    const changed = createKeyring(
      'another secret for tests, 0123456789 0123456789',
      'a secret for tests, and for nothing else, 0123456789',
    );
    const foreign = createKeyring('a secret that was lost, 0123456789 0123456789');
    const { db } = mail.database;
    const ids = [];
    for (let made = 0; made < 7; made++) ids.push(await mail.enqueue({ code: `00000${made}` }));
    const lost = await mail.enqueue({ keyring: foreign });
    const fresh = await mail.enqueue({ keyring: changed });
    const before = await mail.find(fresh);
    const rewrap = () => resealColumn(db, changed, sealedColumnsOf('mails')[0]!, { batch: 3 });
    expect(await rewrap()).toEqual({ done: 7, lost: 1 });
    for (const [index, id] of ids.entries()) {
      const { sealed } = await mail.find(id);
      expect(sealedUnder(sealed!)).toBe(changed.current.id);
      expect(openContent({ ...changed, previous: undefined }, id, sealed)?.params).toMatchObject({
        code: `00000${index}`,
      });
    }
    expect(await mail.find(fresh)).toEqual(before);
    expect((await mail.find(lost)).sealed).toContain(foreign.current.id);
    expect(await rewrap()).toEqual({ done: 0, lost: 1 });
  });
});
