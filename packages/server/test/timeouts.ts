/** How long a test waits for an event that must happen. High enough for a busy machine; only failures take so long. */
export const TIMEOUT_MS = 120_000;

/** The limit for one test or one hook. */
export const TEST_TIMEOUT_MS = 400_000;

/** The time limit for releasing a resource that a timeout of the service would release after 20 seconds or more. */
export const RELEASED_WITHIN_MS = 18_000;

const isFull = process.env.TRUST_EFFORT === 'full';

/** Whether load shedding is tested. In attacks, a 429 on a slow machine would hide the response under test. */
const mayShed = isFull && process.env.TRUST_CAMPAIGN !== 'attack';

/** Disables load shedding: tests share the machine, and often the event loop, with the service. */
export const NO_LOAD_SHEDDING: Readonly<Record<string, string>> = mayShed ? {} : { OVERLOAD_DELAY_MS: '60000' };

/**
 * How long a test waits until a replica has learned of a change. The limit is five seconds, which `npm run attack`
 * checks. A test run waits longer, but less than the minute after which cached values expire, so that it fails if the
 * bus delivers nothing. Providers are also polled every half minute; `provider-reload.test.ts` stops that timer.
 */
export const INVALIDATED_WITHIN_MS = isFull ? 5_000 : 25_000;
