/** How long a test waits for what must come. No test is about time: this is for what never comes, also on a machine that is busy with other things. */
export const TIMEOUT_MS = 120_000;

/** How long one test may take, or what it opens before it and closes behind it. */
export const TEST_TIMEOUT_MS = 400_000;

/** For what somebody must let go of by themselves: below the 20 seconds and more after which a limit would free it for them. */
export const RELEASED_WITHIN_MS = 18_000;

const isFull = process.env.TRUST_EFFORT === 'full';

/** Whether overload is part of what is tested. In attacks a 429 of a slow machine would hide the answer that counts. */
const mayShed = isFull && process.env.TRUST_CAMPAIGN !== 'attack';

/** For a service that is tested: it shares the machine, and often the event loop, with many tests, and sheds nothing for that. */
export const NO_LOAD_SHEDDING: Readonly<Record<string, string>> = mayShed ? {} : { OVERLOAD_DELAY_MS: '60000' };

/**
 * How long a test waits for what a replica must be told. The contract says five seconds, which `npm run attack` judges; a test run
 * is more patient, but less than the minute after which a replica forgets what it knows: with a bus that delivers nothing these
 * tests fail. Providers are looked at every half minute: `provider-reload.test.ts` stops that clock.
 */
export const INVALIDATED_WITHIN_MS = isFull ? 5_000 : 25_000;
