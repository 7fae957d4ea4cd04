import { createRemoteJWKSet, jwtVerify } from 'jose';
import { bearerToken, createVerifier } from '../../packages/verify/src/index.ts';
import { type Bench, raced } from '../bench.ts';
import type { Contestant } from '../contestant.ts';
import { percentile } from '../load.ts';
import { register } from '../people.ts';
import { startService } from '../service.ts';
import { atEnd } from '../tidy.ts';

const PEOPLE = 64;
const BATCH = 256;

/**
 * One after the other, counted by the second of processor time that this process was given: that is what one core can do, whoever else is at
 * work on the machine. So short that a whole batch is timed, not each one.
 */
const inARow = (name: string, headers: readonly string[], once: (header: string) => unknown): Contestant => ({
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

/** Tokens from the header of a request to its session, against finding them in a Map; and jose, which proves each anew. */
export const verify: Bench = {
  name: 'verify',
  about: '@gatehouse/verify in an API, per second of CPU time, against a lookup in a Map; peer: jose',
  async run(options) {
    const service = await startService();
    const document = await fetch(`${service.url}/.well-known/openid-configuration`);
    const { issuer } = (await document.json()) as { issuer: string };
    const headers = (await register(service, PEOPLE)).map(({ access_token }) => `Bearer ${access_token}`);
    const known = new Map(headers.map((header) => [bearerToken(header), header]));
    const keys = createRemoteJWKSet(new URL(`${service.url}/.well-known/jwks.json`));
    const verifier = (maxCachedTokens?: number) => {
      const made = createVerifier({ issuer, address: service.url, ...(maxCachedTokens && { maxCachedTokens }) });
      atEnd(async () => made.close());
      return made;
    };
    const [cached, forgetful] = [verifier(), verifier(2)];
    return raced(
      {
        contestants: [
          inARow('found in a Map', headers, async (header) => known.get(bearerToken(header))),
          inARow('verify, cached', headers, (header) => cached.verify(bearerToken(header))),
          inARow('verify, not cached', headers, (header) => forgetful.verify(bearerToken(header))),
          inARow('jwtVerify of jose', headers, (header) =>
            jwtVerify(bearerToken(header), keys, { issuer, algorithms: ['RS256'] }),
          ),
        ],
      },
      options,
    );
  },
};
