import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createBrowser } from '../../../test/browser.ts';
import { configOf } from '../../domain/provider-settings/rows-fixture.ts';
import { failurePage, mfaPage, safeRedirect } from '../../http/redirect.ts';
import { authorizeAtProvider, newUser, openCallback, startThirdParties, type ThirdParties } from './oauth-fixture.ts';

const LISTED = 'https://app.example.com,http://localhost:3000,https://x.example:8443';
const config = configOf({ PUBLIC_BASE_URL: 'https://id.example.com', REDIRECT_ORIGINS: LISTED });

describe('redirect_to: accepts a local path', () => {
  it.each([
    ['/', '/'],
    ['/account', '/account'],
    ['/a/b?c=d&e=f#g', '/a/b?c=d&e=f#g'],
    ['/a//b', '/a//b'],
    ['/a?next=//evil.example', '/a?next=//evil.example'],
    ['/a?next=https://evil.example', '/a?next=https://evil.example'],
    ['/a#//evil.example', '/a#//evil.example'],
    ['/@evil.example', '/@evil.example'],
    ['/https://evil.example', '/https://evil.example'],
    ['/javascript:alert(1)', '/javascript:alert(1)'],
    // No client decodes these to slashes.
    ['/%2f/evil.example', '/%2f/evil.example'],
    ['/%2f%2fevil.example', '/%2f%2fevil.example'],
    ['/%5cevil.example', '/%5cevil.example'],
    ['/%09/evil.example', '/%09/evil.example'],
    // These are normalized as by a browser.
    ['/a/../b', '/b'],
    ['/../../b', '/b'],
    ['/a/%2e%2e/b', '/b'],
    ['/ä', '/%C3%A4'],
    ['/／evil.example', '/%EF%BC%8Fevil.example'],
    ['/．／evil.example', '/%EF%BC%8E%EF%BC%8Fevil.example'],
    ['/﻿/evil.example', '/%EF%BB%BF/evil.example'],
    ['/a"<b>', '/a%22%3Cb%3E'],
  ])('redirect_to %s leads to %s', (given, target) => expect(safeRedirect(config, given)).toBe(target));

  it('redirect_to may be a path of the maximum length', () => {
    const longest = `/${'a'.repeat(1023)}`;
    expect(safeRedirect(config, longest)).toBe(longest);
  });
});

describe('redirect_to: replaces anything else by the home page', () => {
  const ownHost = 'id.example.com';
  const hostile: [string, unknown][] = [
    ['another host', '//evil.example'],
    ['three slashes', '///evil.example'],
    ['many slashes', '////evil.example/'],
    ['a backslash', '/\\evil.example'],
    ['two backslashes', '\\\\evil.example'],
    ['a backslash first', '\\/evil.example'],
    ['a backslash later', '/a\\..\\..\\/evil.example'],
    ['a dot between', '/.//evil.example'],
    ['an encoded dot between', '/%2e//evil.example'],
    ['two dots between', '/..//evil.example'],
    ['up and across', '/a/..//evil.example'],
    ['encoded dots and across', '/a/%2E%2e//evil.example'],
    ['a tab between', '/\t/evil.example'],
    ['a newline between', '/\n/evil.example'],
    ['a carriage return between', '/\r/evil.example'],
    ['a header', '/a\r\nset-cookie: x=y'],
    ['a tab first', '\t//evil.example'],
    ['a space first', ' //evil.example'],
    ['a space inside', '/ /evil.example'],
    ['NUL', '/\u0000/evil.example'],
    ['DEL', '/\u007f'],
    ['a C1 control character', '/\u0085/evil.example'],
    ['a no-break space', '/\u00a0/evil.example'],
    ['a line separator', '/\u2028/evil.example'],
    ['an ideographic space', '\u3000//evil.example'],
    ['no slash at all', 'account'],
    ['a relative path', './account'],
    ['a path upwards', '../account'],
    ['a query', '?a=b'],
    ['a fragment', '#a'],
    ['nothing', ''],
    ['a fullwidth slash first', '／／evil.example'],
    ['a fullwidth slash second', '／evil.example'],
    ['a fraction slash', '⁄⁄evil.example'],
    ['an origin that is not listed', 'https://evil.example'],
    ['one slash', 'https:/evil.example'],
    ['no slash', 'https:evil.example'],
    ['three slashes behind the scheme', 'https:///evil.example'],
    ['backslashes behind the scheme', 'https:\\\\evil.example'],
    ['a tab in the scheme', 'ht\ttps://app.example.com'],
    ['the own origin', `https://${ownHost}/account`],
    ['the own origin without slashes', 'https:account'],
    ['the own origin without scheme', `//${ownHost}/account`],
    ['the own host as userinfo', `https://${ownHost}@evil.example/`],
    ['the own host as a subdomain', `https://${ownHost}.evil.example/`],
    ['javascript', 'javascript:alert(1)'],
    ['javascript with a comment', 'javascript://app.example.com/%0aalert(1)'],
    ['JaVaScRiPt', 'JaVaScRiPt:alert(1)'],
    ['a control before javascript', '\u0001javascript:alert(1)'],
    ['data', 'data:text/html,<script>alert(1)</script>'],
    ['blob', 'blob:https://app.example.com/a'],
    ['view-source', 'view-source:https://app.example.com/'],
    ['file', 'file:///etc/passwd'],
    ['ftp', 'ftp://app.example.com/'],
    ['a colon only', ':'],
    ['a scheme only', 'https://'],
    ['a broken host', 'https://[::1'],
    ['listed, and userinfo', 'https://user@app.example.com/'],
    ['listed, and a password', 'https://:x@app.example.com/'],
    ['listed as userinfo', 'https://app.example.com@evil.example/'],
    ['listed as a password', 'https://a:app.example.com@evil.example/'],
    ['listed before a backslash', 'https://app.example.com\\@evil.example/'],
    ['listed before a fragment', 'https://evil.example#app.example.com'],
    ['listed before a query', 'https://evil.example?app.example.com'],
    ['listed with another scheme', 'http://app.example.com/'],
    ['listed with another port', 'https://app.example.com:8443/'],
    ['listed without its port', 'https://x.example/'],
    ['listed with a trailing dot', 'https://app.example.com./'],
    ['a subdomain of the listed one', 'https://sub.app.example.com/'],
    ['the listed one as a suffix', 'https://evilapp.example.com/'],
    ['the listed one as a prefix', 'https://app.example.com.evil.example/'],
    ['listed, without scheme', '//app.example.com/'],
    ['listed, with one slash', 'https:/app.example.com/'],
    ['listed, without slashes', 'https:app.example.com/'],
    ['listed, with three slashes', 'https:///app.example.com/'],
    ['listed, with a space before', ' https://app.example.com/'],
    ['a homoglyph', 'https://аpp.example.com/'],
    ['too long', `/${'a'.repeat(1024)}`],
    ['too long on a listed origin', `https://app.example.com/${'a'.repeat(1024)}`],
    ['too long after encoding', `/${'ä'.repeat(500)}`],
    ['100,000 slashes', '/'.repeat(100_000)],
    ['a lone high surrogate', '/\ud800'],
    ['a lone low surrogate', '/a\udc00b'],
    ['a list', ['/a', '/b']],
    ['a list of one', ['/a']],
    ['an object', { toString: () => '/a' }],
    ['a number', 7],
    ['null', null],
    ['undefined', undefined],
    ['true', true],
  ];
  it('more than sixty rejected forms of redirect_to are tested', () => expect(hostile.length).toBeGreaterThan(60));
  it.each(hostile)('redirect_to is rejected: %s', (_what, given) => expect(safeRedirect(config, given)).toBe('/'));
  it.each(hostile)('redirect_to is rejected also if no origin is listed: %s', (_what, given) => {
    expect(safeRedirect(configOf({}), given)).toBe('/');
  });
});

describe('redirect_to: accepts a URL only if its origin is listed', () => {
  it.each([
    ['https://app.example.com', 'https://app.example.com/'],
    ['https://app.example.com/a?b=c#d', 'https://app.example.com/a?b=c#d'],
    ['HTTPS://APP.Example.COM/Path', 'https://app.example.com/Path'],
    ['https://app.example.com:443/a', 'https://app.example.com/a'],
    ['https://app.example.com//evil.example', 'https://app.example.com//evil.example'],
    ['https://app.example。com/a', 'https://app.example.com/a'],
    ['https://ａpp.example.com/a', 'https://app.example.com/a'],
    ['https://%61pp.example.com/a', 'https://app.example.com/a'],
    ['http://localhost:3000/a', 'http://localhost:3000/a'],
    ['https://x.example:8443/a', 'https://x.example:8443/a'],
  ])('redirect_to %s leads to %s if its origin is listed, else to the home page', (given, target) => {
    expect(safeRedirect(config, given)).toBe(target);
    expect(safeRedirect(configOf({}), given)).toBe('/');
  });
});

describe('the pages where a sign-in can end', () => {
  it('the failure page and the MFA page carry redirect_to, unless it is the home page', () => {
    expect(failurePage('access_denied', '/')).toBe('/sign-in?error=access_denied');
    expect(failurePage('access_denied', '/a?b=c&d')).toBe('/sign-in?error=access_denied&redirect_to=%2Fa%3Fb%3Dc%26d');
    expect(mfaPage('a.b.c', '/')).toBe('/sign-in/mfa#mfa_token=a.b.c');
    expect(mfaPage('a.b.c', '/a#b')).toBe('/sign-in/mfa#mfa_token=a.b.c&redirect_to=%2Fa%23b');
  });
});

describe('redirect_to over HTTP', () => {
  let third: ThirdParties;
  beforeAll(async () => {
    third = await startThirdParties({ environment: { REDIRECT_ORIGINS: LISTED } });
  });
  afterAll(() => third.close());

  const targetOf = async (query: string) => {
    const browser = createBrowser(third.app);
    const fake = third.fakes.oauth_a;
    newUser(fake);
    const started = await browser.get(`/auth/oauth/oauth_a/start${query}`);
    const { callback_url } = await fake.authorize(started.headers.location as string);
    const { status, headers } = await browser.get(callback_url.split('/v1')[1]!);
    expect(status).toBe(302);
    return headers.location;
  };
  const given = (redirect_to: string) => `?${new URLSearchParams({ redirect_to })}`;

  it.each([
    ['', '/'],
    [given('/account?tab=1#x'), '/account?tab=1#x'],
    [given('https://app.example.com/a'), 'https://app.example.com/a'],
    [given('//evil.example'), '/'],
    [given('/\\evil.example'), '/'],
    [given('/.//evil.example'), '/'],
    ['?redirect_to=/a&redirect_to=/b', '/'],
    ['?redirect_to[]=/a', '/'],
    ['?redirect_to', '/'],
    ['?redirect_to=%00', '/'],
    ['?redirect_to=%ed%a0%80', '/'],
    ['?redirect_to=/%2561', '/%61'],
    ['?redirect_to=%', '/'],
    ['?REDIRECT_TO=/a', '/'],
  ])('a sign-in begun with /start%s ends at %s', async (query, target) => expect(await targetOf(query)).toBe(target));

  it.each([
    ['the longest path', `/${'a'.repeat(1023)}`, `/${'a'.repeat(1023)}`],
    ['the longest that grows', `/${'ä'.repeat(170)}`, `/${'%C3%A4'.repeat(170)}`],
    ['one that grows too long', `/${'ä'.repeat(1000)}`, '/'],
  ])('the length of redirect_to is limited, counted after encoding: %s', async (_what, redirect_to, target) =>
    expect(await targetOf(given(redirect_to))).toBe(target),
  );

  it('redirect_to in the callback itself is ignored', async () => {
    newUser(third.fakes.oauth_a);
    const { browser, path } = await authorizeAtProvider(third.app, third.fakes.oauth_a, { redirect_to: '/mine' });
    const { headers } = await browser.get(`${path}&redirect_to=https://evil.example`);
    expect(headers.location).toBe('/mine');
    expect(
      (await openCallback(await authorizeAtProvider(third.app, third.fakes.oauth_a, { redirect_to: '/mine' }))).status,
    ).toBe(200);
  });
});
