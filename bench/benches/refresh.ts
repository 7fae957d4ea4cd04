import { type Bench, raced } from '../bench.ts';
import { startDatabase } from '../database.ts';
import { atLeast } from '../goals.ts';
import { insertAndCommit, RS256_ALL, rs256, rs256Everywhere } from '../limits.ts';
import { rotation } from '../operations.ts';
import { OIDC_REFRESH, peersOfRefresh } from '../peers.ts';
import { startService } from '../service.ts';

const REFRESH = 'POST /auth/refresh';

export const refresh: Bench = {
  name: 'refresh',
  about:
    'POST /auth/refresh, durable rotation, against RS256 alone; peer: refresh_token grant of oidc-provider in memory',
  async run(options) {
    const service = await startService();
    return raced(
      {
        contestants: [
          rs256(),
          rs256Everywhere(),
          await insertAndCommit(await startDatabase(), 10),
          await rotation({ name: REFRESH, service }),
          ...(options.peers ? await peersOfRefresh() : []),
        ],
        goals: [atLeast(0.75, REFRESH, RS256_ALL), atLeast(1.15, REFRESH, OIDC_REFRESH)],
      },
      options,
    );
  },
};
