import { describe, expect, it } from 'vitest';
import { settingsOf, type VerifierOptions } from './options.ts';

const issuer = 'https://id.example.com';

describe('options', () => {
  it('have defaults for all but the issuer', () => {
    const { fetch, onFeed, ...rest } = settingsOf({ issuer });
    expect(rest).toEqual({
      issuer,
      address: issuer,
      routePrefix: '/v1',
      whenFeedFails: 'refuse',
      clockSkew: 5,
      maxCachedTokens: 10_000,
      maxRevocations: 100_000,
      lookUpSeconds: 10,
    });
  });

  it('normalize issuer, address and route prefix', () => {
    expect(settingsOf({ issuer: 'https://ID.example.com:443/' }).issuer).toBe(issuer);
    expect(settingsOf({ issuer, address: 'http://gatehouse:8080/' }).address).toBe('http://gatehouse:8080');
    expect(settingsOf({ issuer, address: 'http://proxy/gatehouse/' }).address).toBe('http://proxy/gatehouse');
    expect(settingsOf({ issuer, routePrefix: '/auth/v1/' }).routePrefix).toBe('/auth/v1');
    expect(settingsOf({ issuer, routePrefix: '/' }).routePrefix).toBe('');
  });

  it.each<[string, object]>([
    ['issuer', {}],
    ['issuer', { issuer: '' }],
    ['issuer', { issuer: 'id.example.com' }],
    ['issuer', { issuer: 'file:///keys' }],
    ['issuer', { issuer: 'https://id.example.com/auth' }],
    ['issuer', { issuer: 'https://user:secret@id.example.com' }],
    ['address', { issuer, address: 'gatehouse:8080' }],
    ['address', { issuer, address: 'http://gatehouse:8080?key=1' }],
    ['routePrefix', { issuer, routePrefix: 'v1' }],
    ['routePrefix', { issuer, routePrefix: '/v1?x' }],
    ['whenFeedFails', { issuer, whenFeedFails: 'maybe' }],
    ['clockSkew', { issuer, clockSkew: -1 }],
    ['clockSkew', { issuer, clockSkew: 3600 }],
    ['clockSkew', { issuer, clockSkew: Number.NaN }],
    ['maxCachedTokens', { issuer, maxCachedTokens: Number.POSITIVE_INFINITY }],
    ['maxRevocations', { issuer, maxRevocations: 0 }],
    ['lookUpSeconds', { issuer, lookUpSeconds: '10' }],
  ])('throw for an invalid %s: %j', (name, options) => {
    expect(() => settingsOf(options as VerifierOptions)).toThrow(new RegExp(`^${name}: must be`));
  });
});
