import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ControlledTransaction, sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { findLastExport } from '../src/domain/export/queries.ts';
import { fillService, fillTrail, fingerprints, PASSPHRASE } from '../src/domain/export/service-fixture.ts';
import { LOST_KEY, NEW_KEY, OLD_KEY } from '../src/domain/provider-settings/rows-fixture.ts';
import type { Schema } from '../src/platform/db/schema.ts';
import { examineHere, runHere } from './command-here.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { SECRET, startTestApp } from './harness.ts';
import { launchCommand, runCommand } from './process.ts';
import { untilBlocked } from './records.ts';

const folder = mkdtempSync(join(tmpdir(), 'gh-transfer-'));
const made: TestDatabase[] = [];
let source: TestDatabase;
let app_holder: { email: string };
let prints: Record<string, string>;
beforeAll(async () => {
  source = await create();
  const app = await startTestApp({ database: source, environment: { CONFIG_ENCRYPTION_KEY: OLD_KEY } });
  ({ app_holder } = await fillService(app));
  await app.close();
  await fillTrail(source.db, 2_000);
  prints = await fingerprints(source.db);
  writeFileSync(join(folder, 'passphrase'), `${PASSPHRASE}\r\nanother line\n`);
  const exported = await runCommand(withFile(['export', 'whole']), placeOf(source, OLD));
  expect(exported.code, exported.stderr).toBe(0);
});
afterAll(async () => {
  await Promise.all(made.map((database) => database.close()));
  rmSync(folder, { recursive: true, force: true });
});

async function create(options = {}): Promise<TestDatabase> {
  const database = await createTestDatabase(options);
  made.push(database);
  return database;
}

const OLD = { JWT_SECRET: SECRET, CONFIG_ENCRYPTION_KEY: OLD_KEY, PUBLIC_BASE_URL: 'https://id.example.com' };
const NEW = { ...OLD, JWT_SECRET: 'another secret that is long enough to be one', CONFIG_ENCRYPTION_KEY: NEW_KEY };
const placeOf = ({ url }: TestDatabase, env: Record<string, string> = NEW) => ({
  cwd: folder,
  env: { ...env, DATABASE_URL: url },
});
const withFile = (args: string[]) => [...args, '--passphrase-file', 'passphrase'];
const run = (args: string[], database: TestDatabase, env = NEW) => runHere(withFile(args), placeOf(database, env));

/** Expects one line, besides the progress bars, without a stack trace. */
const expectSentence = (text: string, sentence: string) => {
  const lines = text
    .trim()
    .split('\n')
    .filter((line) => !/[█░]/.test(line));
  expect(lines.join('\n')).toContain(sentence);
  expect(lines).toHaveLength(1);
};

const blockers: ControlledTransaction<Schema>[] = [];
// A transaction left open would keep its database from being dropped and block counting audit rows in all databases.
afterEach(async () => {
  for (const blocker of blockers.splice(0)) if (!blocker.isRolledBack) await blocker.rollback().execute();
});

async function lockTable({ db }: TestDatabase, table: string, mode: 'exclusive' | 'access exclusive' = 'exclusive') {
  const blocker = await db.startTransaction().execute();
  blockers.push(blocker);
  await sql`set local idle_in_transaction_session_timeout = 0`.execute(blocker);
  await sql`lock table ${sql.table(table)} in ${sql.raw(mode)} mode`.execute(blocker);
  return () => blocker.rollback().execute();
}

describe('an interrupted import', () => {
  /** Starts an import in another process, which stops at a locked table. */
  async function startBlocked(target: TestDatabase) {
    const release = await lockTable(target, 'memberships');
    const program = launchCommand(withFile(['import', 'whole']), placeOf(target));
    await untilBlocked(target, 1, program);
    return { program, release };
  }

  /** No other command uses the database, and doctor says what to do. */
  async function expectRefused(target: TestDatabase, sentence: string, commands = OTHERS): Promise<void> {
    for (const [args, input] of commands) {
      const refused = await runHere(args, { ...placeOf(target), ...(input && { input }) });
      expect(refused.code, args.join(' ')).toBe(1);
      expectSentence(refused.stderr, sentence);
    }
    expect((await examineHere(placeOf(target)))('import')).toMatchObject({ status: 'failed' });
  }
  const OTHERS: [string[], string?][] = [
    [['serve']],
    [['admin', 'grant', 'somebody@example.com']],
    [['admin', 'create-org', '--name', 'Acme', '--owner-email', 'somebody@example.com'], 'a passphrase of no use\n'],
    [['import', 'passphrase', '--from', 'auth0']],
    [['keys', 'rotate']],
    [['export', 'never', '--passphrase-file', 'passphrase']],
  ];

  /** A first start would create a new secret, which could not decrypt the imported values. */
  async function expectNoFirstStart(target: TestDatabase, sentence: string): Promise<void> {
    const { code, stderr } = await runHere(['serve'], placeOf(target, { PORT: '0' }));
    expect(code).toBe(1);
    expectSentence(stderr, sentence);
    expect(readdirSync(folder)).not.toContain('.env');
  }

  it('an import that was interrupted by kill -9 and by Ctrl-C continues with the same rows; until then no other command uses the database', async () => {
    const target = await create({ empty: true });
    // Creates the schema, so that the import is interrupted while it inserts rows.
    expect((await runHere(['migrate'], placeOf(target))).code).toBe(0);
    const killed = await startBlocked(target);
    await expectRefused(
      target,
      'An import into this database is running. Wait until it has finished.',
      OTHERS.slice(0, 1),
    );
    killed.program.child.kill('SIGKILL');
    expect((await killed.program.finished).code).toBeNull();
    await killed.release();
    await expectRefused(
      target,
      'An import into this database was interrupted. To continue it, run the same `import` again',
    );
    await expectNoFirstStart(target, 'An import into this database was interrupted.');

    const { program, release } = await startBlocked(target);
    const second = await run(['import', 'whole'], target);
    expect(second.code).toBe(1);
    expectSentence(second.stderr, 'Another import into this database is running');
    program.child.kill('SIGINT');
    await release();
    const stopped = await program.finished;
    expect(stopped.code).toBe(1);
    expectSentence(stopped.stderr, 'Stopped. To continue, run the same command again.');

    const again = await run(['import', 'whole'], target);
    expect(again.code, again.stderr).toBe(0);
    expect(again.stdout).toContain('continuing an interrupted import');
    const repeated = await run(['import', 'whole'], target);
    expect(repeated.code, repeated.stderr).toBe(0);
    expectSentence(repeated.stdout, 'Nothing to do');
    expect(await fingerprints(target.db)).toEqual(prints);
    await expectNoFirstStart(target, 'JWT_SECRET is not set, but this database was used with one.');
    expect((await runHere(['admin', 'grant', app_holder.email], placeOf(target))).code).toBe(0);
  });
});

describe('an interrupted export', () => {
  it('an export exits with 1 on Ctrl-C; the incomplete export is neither imported nor overwritten', async () => {
    const release = await lockTable(source, 'passkeys', 'access exclusive');
    const program = launchCommand(withFile(['export', 'half']), placeOf(source, OLD));
    await untilBlocked(source, 1, program);
    program.child.kill('SIGINT');
    await release();
    const stopped = await program.finished;
    expect(stopped.code).toBe(1);
    expectSentence(stopped.stderr, `Stopped. ${join(folder, 'half')} does not contain a complete export`);
    expect(readdirSync(join(folder, 'half'))).toContain('users.ndjson');
    const refused = await run(['import', 'half'], await create());
    expect(refused.code).toBe(1);
    expectSentence(refused.stderr, 'is not a complete export');
    const again = await run(['export', 'half'], source, OLD);
    expect(again.code).toBe(1);
    expectSentence(again.stderr, 'half');
  });
});

describe('export and import, failures', () => {
  it('exports nothing if JWT_SECRET is not the secret of the service', async () => {
    const refused = await run(['export', 'never'], source, NEW);
    expect(refused.code).toBe(1);
    expectSentence(refused.stderr, 'JWT_SECRET decrypts none of the signing keys');
    expect(existsSync(join(folder, 'never'))).toBe(false);
  });

  it('reports a folder that is not empty, also if its name contains a word of a database error', async () => {
    mkdirSync(join(folder, 'terminated'));
    writeFileSync(join(folder, 'terminated/timeout'), '');
    const refused = await run(['export', 'terminated'], source, OLD);
    expect(refused.code).toBe(1);
    expectSentence(refused.stderr, 'terminated is not empty. Use a new or empty folder');
    expect(refused.stderr).not.toContain('DATA_DIR');
  });

  it('an outdated schema is reported in one line', async () => {
    const refused = await run(['export', 'never'], await create({ empty: true }), OLD);
    expect(refused.code).toBe(1);
    expectSentence(refused.stderr, 'gatehouse.mjs migrate');
  });

  it('a wrong, short or unreadable passphrase, or no terminal to prompt for it, exits with 1', async () => {
    writeFileSync(join(folder, 'wrong'), 'four words that somebody says');
    writeFileSync(join(folder, 'short'), 'short');
    writeFileSync(join(folder, 'broken'), Buffer.from('ff'.repeat(20), 'hex'));
    const target = await create();
    const tried = (args: string[], database: TestDatabase, env = NEW) => runHere(args, placeOf(database, env));
    const wrong = await tried(['import', 'whole', '--passphrase-file', 'wrong'], target);
    expect(wrong.code).toBe(1);
    expectSentence(wrong.stderr, 'The passphrase is wrong, or the export was changed.');
    for (const [file, sentence] of [
      ['short', 'too short'],
      ['broken', 'is not UTF-8'],
      ['nowhere', 'cannot be read from nowhere (ENOENT)'],
    ]) {
      const refused = await tried(['export', 'never', '--passphrase-file', file!], source, OLD);
      expect(refused.code).toBe(1);
      expectSentence(refused.stderr, sentence!);
    }
    const unasked = await tried(['import', 'whole'], target);
    expect(unasked.code).toBe(1);
    expectSentence(unasked.stderr, 'There is no terminal to prompt for the passphrase');
  });

  it('reads the passphrase from standard input', async () => {
    const args = ['import', 'whole', '--passphrase-file', '-'];
    const refused = await runCommand(args, { ...placeOf(source), input: `${PASSPHRASE}\n` });
    expectSentence(refused.stderr, 'The database has rows in organizations that are not from this export');
    expect(refused.code).toBe(1);
  });
});

describe('export and import, warnings', () => {
  it('warnings name the secrets that could not be decrypted and their owners, passkeys bound to another host name, and a folder that others can list', async () => {
    const env = { ...OLD, CONFIG_ENCRYPTION_KEY: LOST_KEY };
    await sql`update totp_secrets set sealed_secret = 'v1:0123456789abcdef:AAAA'`.execute(source.db);
    mkdirSync(join(folder, 'partly'));
    chmodSync(join(folder, 'partly'), 0o755);
    const exported = await run(['export', 'partly'], source, env);
    expect(exported.stdout).toContain(`! Other users can list the file names in ${join(folder, 'partly')}`);
    const target = await create();
    const imported = await run(['import', 'partly'], target, { ...NEW, PUBLIC_BASE_URL: 'https://other.example.com' });
    for (const { code, stdout, stderr } of [exported, imported]) {
      expect(code, stderr).toBe(0);
      expect(stdout).toContain(`could not decrypt 1 authenticator secret: ${app_holder.email}.`);
      expect(stdout).toContain('could not decrypt 1 provider secret: oauth_a.');
      expect(stdout).toContain('set CONFIG_ENCRYPTION_KEY_PREVIOUS to the old key');
    }
    expect(imported.stdout).toContain('Passkeys are bound to the host name');
    const sealed = await target.db.selectFrom('totp_secrets').select('sealed_secret').execute();
    expect(sealed).toEqual([{ sealed_secret: 'v1:0123456789abcdef:AAAA' }]);
    const manifest = JSON.parse(readFileSync(join(folder, 'partly/manifest.json'), 'utf8'));
    expect(manifest.not_moved.map(({ table }: { table: string }) => table)).toContain('sessions');
    // Only the source database records the export; the doctor reads the record.
    expect(await findLastExport(source.db)).toBeInstanceOf(Date);
    expect(await findLastExport(target.db)).toBeNull();
  });
});
