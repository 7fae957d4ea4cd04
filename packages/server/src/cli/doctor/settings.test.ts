import { describe, expect, it } from 'vitest';
import { configOf } from '../../domain/provider-settings/rows-fixture.ts';
import { examineAddresses, examineBranding, examineExportKey, examinePairs } from './settings.ts';

describe('doctor: URLs of third parties', () => {
  it.each([
    'EMAIL_API_BASE_URL',
    'OAUTH_A_ISSUER',
    'OAUTH_B_AUTHORIZATION_URL',
    'OAUTH_C_TOKEN_URL',
    'OAUTH_D_USERINFO_URL',
    'OAUTH_E_JWKS_URL',
  ])('warns about plain http in %s', (name) => {
    for (const address of ['http://idp.example.com/x', 'http://10.0.0.1', 'http://localhost.example.com']) {
      expect(examineAddresses(configOf({ [name]: address }))).toMatchObject([
        { check: name, status: 'warning', fix: 'Use https.' },
      ]);
    }
  });

  it.each([
    'https://idp.example.com',
    'http://localhost:9000/x',
    'http://127.0.0.1:9000',
    'http://[::1]:9000',
    'http://idp.localhost',
  ])('accepts %s', (address) => {
    expect(examineAddresses(configOf({ OAUTH_A_TOKEN_URL: address, EMAIL_API_BASE_URL: address }))).toEqual([]);
  });

  it('does not check PUBLIC_BASE_URL, which has its own check', () => {
    expect(examineAddresses(configOf({ PUBLIC_BASE_URL: 'http://id.example.com' }))).toEqual([]);
  });
});

describe('doctor: settings that need another setting', () => {
  it.each([
    ['OAUTH_A_CLIENT_ID', 'OAUTH_A_CLIENT_SECRET'],
    ['OAUTH_B_CLIENT_SECRET', 'OAUTH_B_CLIENT_ID'],
    ['EMAIL_API_KEY', 'EMAIL_FROM'],
  ])('warns about %s without %s, and accepts both', (given, missing) => {
    expect(examinePairs(configOf({ [given]: 're_given' }))).toMatchObject([
      { check: given, status: 'warning', detail: `has no effect without ${missing}` },
    ]);
    expect(examinePairs(configOf({ [given]: 're_given', [missing]: 're_other' }))).toEqual([]);
  });

  it('accepts EMAIL_FROM alone, as the sender for SMTP_URL', () => {
    expect(examinePairs(configOf({ EMAIL_FROM: 'id@example.com' }))).toEqual([]);
  });
});

describe('doctor: AUDIT_EXPORT_KEY', () => {
  it('warns without AUDIT_EXPORT_KEY on the tier that has exports', () => {
    expect(examineExportKey(configOf({ TIER: 'premium' }))).toMatchObject([
      { check: 'AUDIT_EXPORT_KEY', status: 'warning', detail: expect.stringContaining('JWT_SECRET') },
    ]);
    expect(examineExportKey(configOf({ TIER: 'premium', AUDIT_EXPORT_KEY: 'a key' }))).toEqual([]);
    expect(examineExportKey(configOf({ TIER: 'free' }))).toEqual([]);
  });
});

describe('doctor: branding', () => {
  const logo = { type: 'image/png', content: Buffer.alloc(0) } as const;
  const config = configOf({});

  it('warns if only the dark logo is set', () => {
    expect(examineBranding({ ...config, BRAND_LOGO_DARK: logo })).toMatchObject([
      { check: 'BRAND_LOGO_DARK', status: 'warning' },
    ]);
    expect(examineBranding({ ...config, BRAND_LOGO: logo, BRAND_LOGO_DARK: logo })).toEqual([]);
    expect(examineBranding({ ...config, BRAND_LOGO: logo })).toEqual([]);
  });

  it.each(['SUPPORT_URL', 'PRIVACY_URL', 'TERMS_URL'])('warns about plain http in %s', (name) => {
    expect(examineBranding(configOf({ [name]: 'http://example.com' }))).toMatchObject([
      { check: name, status: 'warning', fix: 'Use https.' },
    ]);
    expect(examineBranding(configOf({ [name]: 'https://example.com' }))).toEqual([]);
  });
});
