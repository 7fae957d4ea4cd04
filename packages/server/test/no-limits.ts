import { SETTINGS } from '../src/platform/config/settings.ts';

/** For a service that is asked the same again and again: how often does not count. */
export const NO_LIMITS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    Object.keys(SETTINGS)
      .filter((name) => name.startsWith('LIMIT_'))
      .map((name) => [name, '1000000/1h']),
  ),
  // Counted, as in production: what counting costs is part of what is measured.
  FAILURES_PER_ADDRESS: '1000000',
};
