import { describe, expect, it } from 'vitest';
import { nameOfUserAgent } from './user-agent.ts';

describe('the name of a user agent', () => {
  it.each([
    ['Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0', 'Firefox on Linux'],
    [
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Safari/605.1.15',
      'Safari on macOS',
    ],
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36',
      'Chrome on Windows',
    ],
    ['curl/8.5.0', 'curl'],
    ['/', 'Unknown browser'],
    [null, 'Unknown browser'],
  ])('the name of %s is %s', (given, name) => {
    expect(nameOfUserAgent(given)).toBe(name);
  });

  it('has at most 60 characters', () => {
    expect(nameOfUserAgent('x'.repeat(512)).length).toBeLessThanOrEqual(60);
  });
});
