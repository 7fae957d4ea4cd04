import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { safeRedirect as asTheServiceDecides } from '../../../server/src/http/redirect.ts';
import { safeRedirect } from './redirect.ts';

const ORIGIN = 'https://id.example.com';
const LISTED = ['https://app.example.com', 'http://localhost:3000'];
const follow = (given: string | null) => safeRedirect(given, ORIGIN, LISTED);
const service = (given: string) => asTheServiceDecides({ PUBLIC_BASE_URL: ORIGIN, REDIRECT_ORIGINS: LISTED }, given);

const FOLLOWED = [
  ['/account', '/account'],
  ['/console/audit?action=auth.login#top', '/console/audit?action=auth.login#top'],
  ['/a/../b', '/b'],
  ['/ä', '/%C3%A4'],
  ['https://app.example.com', 'https://app.example.com/'],
  ['HTTPS://APP.EXAMPLE.COM/in?x=1', 'https://app.example.com/in?x=1'],
  ['http://localhost:3000/', 'http://localhost:3000/'],
] as const;

const REFUSED = [
  '',
  'account',
  '?x',
  '#x',
  '//evil.example',
  '///evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  '/\t/evil.example',
  '/\n/evil.example',
  ' https://app.example.com',
  '/.//evil.example',
  '/%2e//evil.example',
  '/a/..//evil.example',
  'https:evil.example',
  'https:///evil.example',
  'https:/\\evil.example',
  'https://evil.example',
  'https://app.example.com.evil.example',
  'https://app.example.com@evil.example',
  'https://evil.example@app.example.com',
  'https://user:secret@app.example.com',
  'https://app.example.com:8443',
  'http://app.example.com',
  'javascript:alert(1)',
  'JavaScript:alert(1)',
  'java\nscript:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  'vbscript:x',
  'blob:https://id.example.com/x',
  'file:///etc/passwd',
  '/\ud800',
  `/${'a'.repeat(1024)}`,
  `/${'ä'.repeat(400)}`,
];

describe('safeRedirect', () => {
  it.each(FOLLOWED)('%s leads to %s', (given, goal) => {
    expect(follow(given)).toBe(goal);
    expect(service(given)).toBe(goal);
  });

  it.each(REFUSED)('%j leads to the home page', (given) => {
    expect(follow(given)).toBe('/');
    expect(service(given)).toBe('/');
  });

  it('a missing value leads to the home page', () => expect(follow(null)).toBe('/'));

  it('decides like the service for any value, and never leads to an origin that is not listed', () => {
    const pieces = fc.constantFrom(
      '/',
      '\\',
      '//',
      ':',
      '@',
      '?',
      '#',
      '.',
      '..',
      '%2e',
      '%2f',
      '\t',
      ' ',
      'https:',
      'http:',
    );
    const hosts = fc.constantFrom('app.example.com', 'evil.example', 'id.example.com', 'localhost:3000', 'javascript:');
    const text = fc.array(fc.oneof(pieces, hosts, fc.string({ maxLength: 3, unit: 'binary' })), { maxLength: 8 });
    fc.assert(
      fc.property(text, (parts) => {
        const given = parts.join('');
        const goal = follow(given);
        return goal === service(given) && [ORIGIN, ...LISTED].includes(new URL(goal, ORIGIN).origin);
      }),
      { numRuns: 300 },
    );
  });
});
