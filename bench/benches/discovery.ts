import { sql } from 'kysely';
import { type Bench, raced } from '../bench.ts';
import { requests } from '../contestant.ts';
import { atLeast } from '../goals.ts';
import { BARE, bareFastify, CONNECTIONS, largeFastify } from '../limits.ts';
import { request } from '../load.ts';
import { startService } from '../service.ts';

const ENTRIES = 10_000;
const HEALTH = '/healthz';
const JWKS = '/.well-known/jwks.json';
const FEED = '/.well-known/service-revocations.json';
const LARGE = 'bare Fastify route, as large as the feed';

export const discovery: Bench = {
  name: 'discovery',
  about: 'jwks.json, and the revocation feed with 10,000 entries, against a bare route with a response as large',
  async run(options) {
    const service = await startService();
    await sql`insert into revocations (sid, revoked_at, expires_at)
      select gen_random_uuid(), now() - n * interval '1 millisecond', now() + interval '2 hours'
      from generate_series(1, ${ENTRIES}::int) n`.execute(await service.connect());
    const bytes = (await (await fetch(service.url + FEED)).arrayBuffer()).byteLength;
    const ask = (path: string) => {
      const asked = request('GET', path);
      const target = { pids: [service.pid], port: service.port, connections: CONNECTIONS };
      return requests({ name: `GET ${path}`, ...target, next: () => asked });
    };
    return raced(
      {
        contestants: [
          await bareFastify(),
          ask(HEALTH),
          ask(JWKS),
          { ...(await largeFastify(LARGE, bytes)), against: LARGE },
          { ...ask(FEED), against: LARGE },
        ],
        goals: [
          atLeast(0.95, `GET ${HEALTH}`, BARE),
          atLeast(0.95, `GET ${JWKS}`, BARE),
          atLeast(0.95, `GET ${FEED}`, LARGE),
        ],
      },
      options,
    );
  },
};
