import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../platform/config/load.ts';
import { chooseTransport, senderOf } from './transport.ts';

const config = (environment: Record<string, string>) =>
  loadConfig({
    JWT_SECRET: 'a secret for tests, and for nothing else, 0123456789',
    PUBLIC_BASE_URL: 'https://id.example.com',
    ...environment,
  });

const API = { EMAIL_API_KEY: 're_123', EMAIL_FROM: 'Example <id@example.com>' };
const SMTP = { SMTP_URL: 'smtp://mail.example.com' };
const PRODUCTION = { NODE_ENV: 'production' };

describe('contract 5: the mail transport', () => {
  it.each([
    ['api', { ...API, ...SMTP, ...PRODUCTION }],
    ['api', API],
    ['smtp', { ...SMTP, EMAIL_API_KEY: 're_123', ...PRODUCTION }],
    ['smtp', { ...SMTP, ...PRODUCTION }],
    ['smtp', SMTP],
    ['folder', { EMAIL_API_KEY: 're_123' }],
    ['folder', {}],
    ['folder', { NODE_ENV: 'test' }],
    [undefined, PRODUCTION],
    [undefined, { EMAIL_FROM: API.EMAIL_FROM, ...PRODUCTION }],
  ])('is %s for %o', (name, environment) => {
    expect(chooseTransport(config(environment))()?.name).toBe(name);
  });

  it('sends as EMAIL_FROM, or under a name of its own', () => {
    expect(senderOf(config(API))).toBe('Example <id@example.com>');
    expect(senderOf(config({}))).toBe('Gatehouse <gatehouse@localhost>');
    expect(senderOf(config({ ...SMTP, ...PRODUCTION }))).toBe('Gatehouse <gatehouse@id.example.com>');
  });
});
