import { setImmediate as nextTick } from 'node:timers/promises';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { bearerToken, createVerifier } from '../../packages/verify/src/index.ts';
import { register } from '../accounts.ts';
import { type Bench, FEW_ROUNDS, raced } from '../bench.ts';
import type { Contestant } from '../contestant.ts';
import { percentile } from '../load.ts';
import { createKeys, registerOrganization } from '../machines.ts';
import { startService } from '../service.ts';
import { atEnd } from '../tidy.ts';

const ACCOUNTS = 64;
const BATCH = 256;

/** Counts calls per second of CPU time, the capacity of one core. Times batches, because one call is too short. */
const sequential = (name: string, headers: readonly string[], once: (header: string) => unknown): Contestant => ({
  name,
  pids: [],
  here: 'service',
  async shoot(seconds) {
    const times: number[] = [];
    let errors = 0;
    const before = process.cpuUsage();
    const end = performance.now() + seconds * 1000;
    for (let begun = performance.now(); begun < end; begun = performance.now()) {
      for (let index = 0; index < BATCH; index++) {
        try {
          await once(headers[index % headers.length]!);
        } catch {
          errors++;
        }
      }
      times.push((performance.now() - begun) / BATCH);
      // Lets the verifiers poll: promises that are already resolved would keep all timers waiting.
      await nextTick();
    }
    const { user, system } = process.cpuUsage(before);
    const sorted = Float64Array.from(times).sort();
    const total = times.length * BATCH;
    return {
      rate: total / ((user + system) / 1e6),
      p50: percentile(sorted, 0.5),
      p99: percentile(sorted, 0.99),
      errors,
      total,
    };
  },
});

/** Verifies tokens from header to session, compared with a Map lookup and with jose, which does not cache. */
export const verify: Bench = {
  name: 'verify',
  about: '@gatehouse/verify in an API, per second of CPU time, against a lookup in a Map; peer: jose',
  rounds: FEW_ROUNDS,
  async run(options) {
    const service = await startService();
    const document = await fetch(`${service.url}/.well-known/openid-configuration`);
    const { issuer } = (await document.json()) as { issuer: string };
    const headers = (await register(service, ACCOUNTS)).map(({ access_token }) => `Bearer ${access_token}`);
    const keys = await createKeys(await registerOrganization(service), ACCOUNTS);
    const keyHeaders = keys.map(({ key }) => `Bearer ${key}`);
    const known = new Map(headers.map((header) => [bearerToken(header), header]));
    const keySet = createRemoteJWKSet(new URL(`${service.url}/.well-known/jwks.json`));
    const verifier = (maxCachedTokens?: number) => {
      const made = createVerifier({ issuer, address: service.url, ...(maxCachedTokens && { maxCachedTokens }) });
      atEnd(async () => made.close());
      return made;
    };
    const [cached, uncached] = [verifier(), verifier(2)];
    return raced(
      {
        contestants: [
          sequential('found in a Map', headers, async (header) => known.get(bearerToken(header))),
          sequential('verify, cached', headers, (header) => cached.verify(bearerToken(header))),
          sequential('verify with an API key, cached', keyHeaders, (header) => cached.verify(bearerToken(header))),
          sequential('verify, not cached', headers, (header) => uncached.verify(bearerToken(header))),
          sequential('jwtVerify of jose', headers, (header) =>
            jwtVerify(bearerToken(header), keySet, { issuer, algorithms: ['RS256'] }),
          ),
        ],
      },
      options,
    );
  },
};
