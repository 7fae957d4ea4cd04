import { expect, it } from 'vitest';
import { faultOf, linesOf } from './uris.ts';

it.each([
  ['https://wiki.example.com/callback', 'web', undefined],
  ['http://localhost:3000/callback', 'spa', undefined],
  ['http://127.0.0.1/callback', 'web', undefined],
  ['http://[::1]:8080/', 'native', undefined],
  ['com.example.app:/callback', 'native', undefined],
  ['com.example.app:/callback', 'web', 'scheme'],
  ['myapp:/callback', 'native', 'private_scheme'],
  ['http://wiki.example.com/callback', 'web', 'scheme'],
  ['http://localhost.example.com/', 'web', 'scheme'],
  ['javascript:alert(1)', 'web', 'scheme'],
  ['https://wiki.example.com/#here', 'web', 'fragment'],
  ['https://*.example.com/', 'web', 'wildcard'],
  ['https://user@wiki.example.com/', 'web', 'credentials'],
  ['wiki.example.com', 'web', 'invalid'],
] as const)('the redirect address %s of an application of kind %s has the fault %s', (uri, kind, fault) => {
  expect(faultOf(uri, kind)).toBe(fault);
});

it('addresses are trimmed lines, without empty ones', () => {
  expect(linesOf(' https://a.example \n\nhttps://b.example')).toEqual(['https://a.example', 'https://b.example']);
});
