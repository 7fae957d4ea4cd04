import { createRemoteJWKSet, jwtVerify } from 'jose';
import { bearerToken, createVerifier } from '../packages/verify/src/index.ts';
import type { Bench, Contestant } from './race.ts';
import { startService } from './service.ts';

const PEOPLE = 64;
const BATCH = 256;

/**
 * One after the other, counted by the second of processor time that this process was given: that is what one core can do, whoever else is at
 * work on the machine. So short that a whole batch is timed, not each one.
 */
const inARow = (name: string, headers: readonly string[], once: (header: string) => unknown): Contestant => ({
  name,
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
    times.sort((left, right) => left - right);
    const at = (share: number) => Number(times[Math.floor(times.length * share)]!.toFixed(4));
    return { rate: (times.length * BATCH) / ((user + system) / 1e6), p50: at(0.5), p99: at(0.99), errors };
  },
});

/** Tokens from the header of a request to its session, against finding them in a Map; and jose, which proves each anew. */
export async function verify(): Promise<Bench> {
  const { service, close } = await startService();
  const { issuer } = (await (await fetch(`${service}/.well-known/openid-configuration`)).json()) as { issuer: string };
  const headers = await Promise.all(Array.from({ length: PEOPLE }, (_, index) => register(service, index)));
  const known = new Map(headers.map((header) => [bearerToken(header), header]));
  const keys = createRemoteJWKSet(new URL(`${service}/.well-known/jwks.json`));
  const cached = createVerifier({ issuer, address: service });
  const forgetful = createVerifier({ issuer, address: service, maxCachedTokens: 2 });
  return {
    contestants: [
      inARow('found in a Map', headers, async (header) => known.get(bearerToken(header))),
      inARow('verify, cached', headers, (header) => cached.verify(bearerToken(header))),
      inARow('verify, not cached', headers, (header) => forgetful.verify(bearerToken(header))),
      inARow('jwtVerify of jose', headers, (header) =>
        jwtVerify(bearerToken(header), keys, { issuer, algorithms: ['RS256'] }),
      ),
    ],
    async close() {
      cached.close();
      forgetful.close();
      await close();
    },
  };
}

async function register(service: string, index: number): Promise<string> {
  const answer = await fetch(`${service}/v1/auth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      email: `bench-${index}@example.com`,
      password: 'correct horse battery staple',
      organization_name: `Bench ${index}`,
    }),
  });
  if (!answer.ok) throw new Error(`the registration was answered ${answer.status}`);
  return `Bearer ${((await answer.json()) as { access_token: string }).access_token}`;
}
