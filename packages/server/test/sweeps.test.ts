import { expect, it } from 'vitest';
import { featuresOf } from '../src/app.ts';
import { loadConfig } from '../src/platform/config/load.ts';
import { SECRET, startTestApp } from './harness.ts';

const CONFIG = loadConfig({ JWT_SECRET: SECRET, PUBLIC_BASE_URL: 'http://localhost:8080' });

it('the features declare all sweeps', () => {
  const names = featuresOf(CONFIG).flatMap(({ sweeps = [] }) => sweeps.map(({ name }) => name));
  expect(names.sort()).toEqual([
    'API keys',
    'application keys',
    'application secrets',
    'applications',
    'audit counts',
    'audit months',
    'bus',
    'consents',
    'counters',
    'deliveries of deleted webhooks',
    'domains',
    'ended grants',
    'expired grants',
    'identities',
    'interactions',
    'invitations',
    'mails',
    'mfa tokens',
    'oauth states',
    'one-time tokens',
    'passkey challenges',
    'passkeys',
    'password counts',
    'refresh uses',
    'refreshes',
    'revocations',
    'roles',
    'service accounts',
    'sessions',
    'signing keys',
    'single sign-on connections',
    'trusted browsers',
    'unused codes',
    'user counts',
    'webhook deliveries',
    'webhooks',
  ]);
});

it('the database accepts the statement of every sweep', async () => {
  const app = await startTestApp();
  await app.sweeper.pass();
  expect(app.logs.filter(({ level }) => Number(level) >= 40)).toEqual([]);
  await app.close();
});
