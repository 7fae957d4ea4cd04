import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createTestDatabase } from '../../packages/server/test/database.ts';
import { startFakeMailApi } from '../../packages/server/test/fake-mail-api.ts';
import { startFakeProvider } from '../../packages/server/test/fake-providers/provider.ts';
import { runCommand, type Server, startServer } from '../../packages/server/test/process.ts';
import { cases, fullCases, type Ledger } from '../ledger.ts';
import { dumpTable, listTables } from '../tables-fixture.ts';
import { liveAccidents, liveAdministration, liveThirdParties } from './secrets-environment-fixture.ts';
import { createVault, findSecrets, type Vault } from './secrets-fixture.ts';
import { liveFactors, liveMails, livePasswords, MILESTONES, register, type World } from './secrets-life-fixture.ts';

const vault: Vault = createVault();
const folder = mkdtempSync(join(tmpdir(), 'gh-secrets-'));
let world: World;
let server: Server;
let env: Record<string, string>;
let output: string;
let metrics: string;
/** Responses of `/metrics` to clients without METRICS_TOKEN. */
let refusals: [name: string, status: number, text: string][];

beforeAll(async () => {
  const [database, mail, google, github] = await Promise.all([
    createTestDatabase(),
    startFakeMailApi(),
    startFakeProvider('oauth_a'),
    startFakeProvider('oauth_b'),
  ]);
  const key = randomBytes(32);
  vault.keep('CONFIG_ENCRYPTION_KEY in other letters', key.toString('base64'));
  vault.keep('database password', inject('postgres').password);
  env = {
    DATABASE_URL: database.url,
    DATA_DIR: folder,
    PUBLIC_BASE_URL: 'http://localhost:8080',
    LOG_LEVEL: 'debug',
    JWT_SECRET: `${vault.plant('JWT_SECRET')}${'x'.repeat(32)}`,
    JWT_SECRET_PREVIOUS: `${vault.plant('JWT_SECRET_PREVIOUS')}${'x'.repeat(32)}`,
    CONFIG_ENCRYPTION_KEY: vault.keep('CONFIG_ENCRYPTION_KEY', key.toString('hex')),
    AUDIT_EXPORT_KEY: vault.plant('AUDIT_EXPORT_KEY'),
    METRICS_TOKEN: vault.plant('METRICS_TOKEN'),
    EMAIL_API_KEY: vault.plant('EMAIL_API_KEY', 're_canary'),
    EMAIL_FROM: 'Id <id@example.com>',
    EMAIL_API_BASE_URL: mail.url,
    SMTP_URL: `smtp://user:${vault.plant('password of the mail server')}@127.0.0.1:1`,
    LIMIT_MAIL_PER_ACCOUNT: '1000/1m',
    TIER: 'premium',
    ...google.environment,
    ...github.environment,
    OAUTH_A_CLIENT_ID: google.settings.public_config.client_id!,
    OAUTH_A_CLIENT_SECRET: google.settings.secret,
    OAUTH_B_CLIENT_ID: github.settings.public_config.client_id!,
    OAUTH_B_CLIENT_SECRET: github.settings.secret,
  };
  server = await startServer({ cwd: folder, env });
  world = { url: server.url, vault, database, mail, google, github };
  const user = await register(world, 'person');
  await livePasswords(world, user);
  await liveMails(world, user);
  await liveFactors(world, user);
  await liveThirdParties(world);
  const admin = await register(world, 'administrator');
  await liveAccidents(world, admin);
  await liveAdministration(world, admin);
  refusals = await Promise.all(
    withoutToken(env.METRICS_TOKEN!, admin.access_token).map(async ([name, path, headers]) => {
      const response = await fetch(`${server.url}${path}`, { headers });
      return [name, response.status, await response.text()] as [string, number, string];
    }),
  );
  const asMonitor = { headers: { authorization: `Bearer ${env.METRICS_TOKEN}` } };
  metrics = await (await fetch(`${server.url}/metrics`, asMonitor)).text();
  const { stdout, stderr } = await server.stop();
  output = stdout + stderr;
});

afterAll(async () => {
  await server?.kill();
  await Promise.all([world.database.close(), world.mail.close(), world.google.close(), world.github.close()]);
  rmSync(folder, { recursive: true, force: true });
});

const withoutToken = (token: string, access_token: string): [string, string, Record<string, string>][] => [
  ['no credential', '/metrics', {}],
  ['an empty Bearer', '/metrics', { authorization: 'Bearer ' }],
  ['the token without a scheme', '/metrics', { authorization: token }],
  ['the token by Basic', '/metrics', { authorization: `Basic ${Buffer.from(`x:${token}`).toString('base64')}` }],
  ['the token cut short', '/metrics', { authorization: `Bearer ${token.slice(0, -1)}` }],
  ['the token and more', '/metrics', { authorization: `Bearer ${token}${token}` }],
  ['the token in the query', `/metrics?access_token=${token}&token=${token}`, {}],
  ['the token as a cookie', '/metrics', { cookie: `service_at=${token}` }],
  ['an access token of a platform owner', '/metrics', { authorization: `Bearer ${access_token}` }],
];

/** Adds one case for each secret: the text does not contain it. */
const expectNone = (ledger: Ledger, where: string, text: string, but = /^$/): void => {
  const found = new Set(findSecrets(vault, text));
  for (const name of vault.secrets.keys()) {
    ledger.enter(`${name} in ${where}`, found.has(name) && !but.test(name) ? 'is there' : undefined);
  }
};

describe('secrets of a complete scenario', () => {
  it('the scenario has more than 100 secrets, and every step of it was done', () => {
    expect(vault.secrets.size).toBeGreaterThan(100);
    const done = vault.answers.map(({ asked, answer }) => `${asked.replace(/\?.*/, '')} ${answer.status}`);
    expect(MILESTONES.filter((one) => !done.includes(one))).toEqual([]);
    expect(done.filter((line) => line.endsWith(' 500')).length).toBeGreaterThan(6);
  });

  cases('the log contains no secret', async (ledger) => {
    expect(output.split('\n').length).toBeGreaterThan(100);
    expect(output).toContain('a request failed');
    expect(output).toContain('"level":20');
    expectNone(ledger, 'the log', output);
  });

  cases('no table of the database contains a secret', async (ledger) => {
    const dumps = await Promise.all(
      (await listTables(world.database)).map((table) => dumpTable(world.database, table)),
    );
    const all = dumps.join('\n');
    // Proves that the dump would reveal secrets: it contains the stored hash.
    expect(all).toContain(createHash('sha256').update(vault.secrets.get('invitation token')!.value).digest('hex'));
    expect(all).toContain('auth.login');
    expectNone(ledger, 'the database', all);
  });

  cases('the metrics are refused without METRICS_TOKEN', async (ledger) => {
    for (const [name, status, text] of refusals) {
      const isRefused = status === 401 && !text.includes('gatehouse_http');
      ledger.enter(`/metrics with ${name}`, isRefused ? undefined : `answered ${status}`);
    }
  });

  cases('the metrics contain no secret', async (ledger) => {
    expect(metrics).toContain('gatehouse_http');
    expectNone(ledger, 'the metrics', metrics);
  });

  cases('no error response contains a secret', async (ledger) => {
    const refusals = vault.answers.filter(({ answer }) => answer.status >= 400);
    expect(refusals.length).toBeGreaterThan(60);
    const texts = refusals.map(({ answer }) => answer.text + JSON.stringify(answer.headers));
    expectNone(ledger, 'refusals', texts.join('\n'));
  });

  cases('what can be read, including the audit trail, contains no secret', async (ledger) => {
    const own = /\/(start|callback|preview)/;
    const reads = vault.answers.filter(({ asked }) => asked.startsWith('GET') && !own.test(asked));
    const trail = reads.find(({ asked }) => asked.startsWith('GET /audit-logs'))!;
    expect(trail.answer.json.items.length).toBeGreaterThan(40);
    expectNone(ledger, 'what can be read', reads.map(({ answer }) => answer.text).join('\n'));
  });

  cases('a mail contains only the secret that it is sent for', async (ledger) => {
    const mails = world.mail.requests.map(({ body }) => JSON.stringify(body)).join('\n');
    const meant = /^(emailed code|reset token|verification token|token of a change of email|invitation token)( \d+)?$/;
    expect(findSecrets(vault, mails).filter((name) => meant.test(name)).length).toBeGreaterThanOrEqual(5);
    expectNone(ledger, 'mails', mails, meant);
  });

  fullCases('the output of commands contains no secret', async (ledger) => {
    for (const command of [['doctor'], ['doctor', '--json'], ['migrate', '--status'], ['keys', 'rewrap']]) {
      const { stdout, stderr } = await runCommand(command, { cwd: folder, env });
      expect(stdout).not.toBe('');
      expectNone(ledger, command.join(' '), stdout + stderr);
    }
  });
});
