import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Migration } from '@gatehouse/migrate';
import { faultsOf } from '@gatehouse/migrate';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { migrate, migrationStatus } from '../../src/platform/db/migrate.ts';
import { HISTORY } from '../../src/platform/db/migrations/history.ts';
import { MIGRATIONS } from '../../src/platform/db/migrations/list.ts';
import { type Answer, createBrowser, registerUser, type TestUser } from '../browser.ts';
import { runHere } from '../command-here.ts';
import { createTestDatabase, type TestDatabase } from '../database.ts';
import { startTestApp, type TestApp } from '../harness.ts';

/** Migrations of a fictitious next version: everything that the rules permit, on the most used tables. */
const NEXT: readonly Migration[] = [
  {
    version: 1000,
    name: 'next',
    sql: `
alter table users add column nickname text, add column points integer not null default 0;
alter table sessions add column label text not null default 'none';
alter table audit_events add column note text;
alter table mails add column urgent boolean not null default false;
alter table users alter column display_name set default 'somebody';
create table nicknames (
  user_id uuid primary key references users,
  session_id uuid references sessions on delete set null,
  nickname text not null
);
create function take_nickname() returns trigger language plpgsql as $$
begin
  insert into nicknames (user_id, nickname) values (new.id, new.email);
  return null;
end $$;
create trigger users_nickname after insert on users for each row execute function take_nickname();
update users set nickname = email;
`,
  },
  {
    version: 1001,
    name: 'next-indexes',
    indexes: [
      { name: 'users_nickname_idx', on: 'users (nickname)' },
      { name: 'sessions_label_idx', on: 'sessions (label) where revoked_at is null' },
    ],
  },
];

let folder: string;
let database: TestDatabase;
let app: TestApp;
let user: TestUser;
const start = () => startTestApp({ database });
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gh-beside-'));
  database = await createTestDatabase();
  app = await start();
  user = await registerUser(app);
});
afterAll(async () => {
  await app.close();
  await database.close();
  rmSync(folder, { recursive: true, force: true });
});

function keepBusy(at: TestApp) {
  const answers: { what: string; status: number; text: string }[] = [];
  let stopped = false;
  let registered = 0;
  const note = (what: string, good: number, { status, text }: Answer) => {
    // On a busy machine the service may shed requests; they are sent again.
    if (status === 429) return;
    answers.push({ what, status: status === good ? 0 : status, text });
  };
  const useService = async (): Promise<void> => {
    const browser = createBrowser(at);
    const { email, password } = user;
    const signedIn = await browser.post('/auth/login', { email, password });
    note('login', 200, signedIn);
    // Without a session the following requests would fail.
    if (signedIn.status === 429) return;
    note('session', 200, await browser.get('/auth/session'));
    note('me', 200, await browser.get('/users/me'));
    note('change', 200, await browser.patch('/users/me', { display_name: `Somebody ${answers.length}` }));
    note('refresh', 200, await browser.post('/auth/refresh'));
    note('sessions', 200, await browser.get('/auth/sessions'));
    note('logout', 204, await browser.post('/auth/logout'));
    const fresh = { email: `new-${registered++}@example.com`, password, organization_name: 'New' };
    note('register', 201, await createBrowser(at).post('/auth/register', fresh));
  };
  const loop = async () => {
    while (!stopped) await useService();
  };
  const running = Promise.all([loop(), loop(), loop()]);
  return {
    async answered(more: number): Promise<void> {
      const goal = answers.length + more;
      await expect.poll(() => answers.length).toBeGreaterThan(goal);
    },
    async stop() {
      stopped = true;
      await running;
      return answers;
    },
  };
}

describe('migrations of the next version', () => {
  it('comply with the migration rules', () => {
    expect(NEXT.flatMap((migration) => faultsOf(migration, HISTORY))).toEqual([]);
  });

  it('run while this version serves: no request fails, and no write is lost', async () => {
    const busy = keepBusy(app);
    await busy.answered(30);
    const applied = await migrate(database.address, new Date(), undefined, [...MIGRATIONS, ...NEXT]);
    expect(applied.map(({ version }) => version)).toEqual([1000, 1001]);
    await busy.answered(60);
    const answers = await busy.stop();
    expect(answers.filter(({ status }) => status !== 0)).toEqual([]);
    const { rows } = await sql<{ users: number; taken: number; nicknames: number }>`
      select count(*) as users, count(nickname) as taken, (select count(*) from nicknames) as nicknames from users`.execute(
      database.db,
    );
    // Existing users have the column filled; the trigger has inserted a row for each new user.
    expect(rows[0]!.taken + rows[0]!.nicknames).toBe(rows[0]!.users);
    expect(rows[0]!.nicknames).toBeGreaterThan(0);
    expect(app.logs.filter(({ level }) => level === 50)).toEqual([]);
  });

  it('do not affect this version after a downgrade', async () => {
    await app.close();
    app = await start();
    const { email, password } = user;
    expect((await createBrowser(app).post('/auth/login', { email, password })).status).toBe(200);
    await registerUser(app);
    expect((await migrationStatus(database.db)).unknown).toEqual([1000, 1001]);
  });

  it('are reported by the commands: nothing is pending, and an export needs the later version', async () => {
    const env = { DATABASE_URL: database.url, JWT_SECRET: 'x'.repeat(40), PUBLIC_BASE_URL: 'http://localhost:8080' };
    const run = (args: string[]) => runHere(args, { cwd: folder, env });
    const [checked, listed, migrated] = [
      await run(['migrate', '--check']),
      await run(['migrate', '--status']),
      await run(['migrate']),
    ];
    expect([checked, listed, migrated].map(({ code }) => code)).toEqual([0, 0, 0]);
    for (const { stdout } of [checked, listed]) expect(stdout).toContain('1000, 1001: applied by a later version');
    const refused = await run(['export', 'out']);
    expect(refused.stderr).toContain('A later version of Gatehouse');
  });
});
