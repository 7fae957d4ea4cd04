import { describe, expect, it } from 'vitest';
import { configOf } from '../../domain/provider-settings/rows-fixture.ts';
import type { Environment } from '../../platform/config/load.ts';
import { examineCookies } from './cookies.ts';
import { areOtherSites } from './site.ts';

const PRODUCTION = { NODE_ENV: 'production' };
const at = (PUBLIC_BASE_URL: string, more: Environment = {}) => examineCookies(configOf({ PUBLIC_BASE_URL, ...more }));
const checks = (findings: ReturnType<typeof at>) => findings.map(({ check, status }) => `${check} ${status}`);

describe('doctor: PUBLIC_BASE_URL and cookies', () => {
  it.each<[string, Environment]>([
    ['https://id.example.com', PRODUCTION],
    ['https://id.example.com:8443', PRODUCTION],
    ['http://localhost:8080', {}],
    ['http://127.0.0.1:8080', {}],
  ])('PUBLIC_BASE_URL=%s is ok', (url, environment) => expect(checks(at(url, environment))).toEqual(['cookies ok']));

  it.each<[string, string, Environment, string, RegExp]>([
    ['http in production', 'http://id.example.com', PRODUCTION, 'PUBLIC_BASE_URL', /plain http/],
    ['localhost in production', 'https://localhost', PRODUCTION, 'PUBLIC_BASE_URL', /is this machine/],
    ['an IP address in production', 'https://192.0.2.7', PRODUCTION, 'PUBLIC_BASE_URL', /passkeys need a host name/],
    [
      'an IPv6 address in production',
      'https://[2001:db8::7]',
      PRODUCTION,
      'PUBLIC_BASE_URL',
      /passkeys need a host name/,
    ],
    ['development at a public address', 'https://id.example.com', {}, 'NODE_ENV', /can read every mail/],
    ['development on all interfaces', 'http://localhost:8080', { HOST: '0.0.0.0' }, 'NODE_ENV', /HOST=0\.0\.0\.0/],
    ['Secure over http', 'http://localhost:8080', { SECURE_COOKIES: 'on' }, 'SECURE_COOKIES', /Safari does not store/],
    [
      'cookies without Secure over https',
      'https://id.example.com',
      { ...PRODUCTION, SECURE_COOKIES: 'off' },
      'SECURE_COOKIES',
      /is off/,
    ],
  ])('warns about %s', (_, url, environment, check, detail) => {
    expect(at(url, environment)).toMatchObject([
      {
        check,
        status: 'warning',
        detail: expect.stringMatching(detail),
        fix: expect.stringMatching(/^(Set|Put|Unset)/),
      },
    ]);
  });

  it('warns about Secure cookies over http: browsers do not store them', () => {
    const [, secure] = at('http://id.example.com', { ...PRODUCTION, SECURE_COOKIES: 'on' });
    expect(secure?.detail).toContain('browsers do not store');
  });
});

describe('doctor: CORS_ORIGINS and REDIRECT_ORIGINS', () => {
  const with_ = (name: string, origin: string, more: Environment = PRODUCTION) =>
    at('https://id.example.com', { ...more, [name]: origin });

  it('is ok for origins on the same site', () => {
    expect(checks(with_('CORS_ORIGINS', 'https://app.example.com,https://example.com:8443'))).toEqual(['cookies ok']);
    expect(checks(with_('REDIRECT_ORIGINS', 'https://elsewhere.test'))).toEqual(['cookies ok']);
  });

  it('warns about origins on another site, which get no cookies', () => {
    const [finding, ...more] = with_('CORS_ORIGINS', 'https://app.example.org,https://app.example.com');
    expect(more).toEqual([]);
    expect(finding).toMatchObject({ check: 'CORS_ORIGINS', status: 'warning' });
    expect(finding!.detail).toContain('https://app.example.org is on another site than https://id.example.com');
  });

  it.each(['CORS_ORIGINS', 'REDIRECT_ORIGINS'])('warns about plain http in %s in production', (name) => {
    expect(with_(name, 'http://app.example.com').map(({ detail }) => detail)).toContainEqual(
      expect.stringContaining('http://app.example.com is plain http'),
    );
    expect(with_(name, 'http://localhost:3000').some(({ detail }) => detail.includes('plain http'))).toBe(false);
  });

  it.each([
    ['https://a.example.com', 'https://b.example.com', false],
    ['https://example.com', 'https://b.c.example.com:8443', false],
    ['http://localhost:8080', 'http://localhost:3000', false],
    ['http://a.example.com', 'https://a.example.com', true],
    ['https://a.example.com', 'https://a.example.org', true],
    ['http://localhost:8080', 'http://127.0.0.1:8080', true],
    ['http://10.0.0.1', 'http://10.0.0.2', true],
    // These are two sites, but this cannot be known without the public suffix list.
    ['https://a.co.uk', 'https://b.co.uk', false],
  ])('%s and %s are on different sites: %s', (one, other, expected) => {
    expect(areOtherSites(one, other)).toBe(expected);
    expect(areOtherSites(other, one)).toBe(expected);
  });
});
