import { SETTINGS } from '../src/platform/config/settings.ts';

/** For a service that gets the same requests many times: raises all rate limits. */
export const NO_LIMITS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    Object.keys(SETTINGS)
      .filter((name) => name.startsWith('LIMIT_'))
      .map((name) => [name, '1000000/1h']),
  ),
  // Failures are still counted, as in production, because the cost of counting is part of what is measured.
  FAILURES_PER_ADDRESS: '1000000',
};
