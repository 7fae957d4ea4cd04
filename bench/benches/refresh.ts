import { type Bench, raced } from '../bench.ts';
import { atLeast, ratioTo } from '../goals.ts';
import { RS256_ALL, rs256, rs256Everywhere } from '../limits.ts';
import { rotation } from '../operations.ts';
import { GLEWLWYD_REFRESH, glewlwydRefresh } from '../peer-glewlwyd.ts';
import { OIDC_REFRESH, peersOfRefresh } from '../peers.ts';
import { startService } from '../service.ts';

const REFRESH = 'POST /auth/refresh';

export const refresh: Bench = {
  name: 'refresh',
  about:
    'POST /auth/refresh, durable rotation, against RS256 alone; peers: refresh_token grant of oidc-provider in memory and of glewlwyd',
  async run(options) {
    const service = await startService();
    return raced(
      {
        contestants: [
          rs256(),
          rs256Everywhere(),
          await rotation({ name: REFRESH, service }),
          ...(options.peers ? [...(await peersOfRefresh()), ...(await glewlwydRefresh())] : []),
        ],
        goals: [
          atLeast(0.75, REFRESH, RS256_ALL),
          atLeast(1.15, REFRESH, OIDC_REFRESH),
          ratioTo(REFRESH, GLEWLWYD_REFRESH),
        ],
      },
      options,
    );
  },
};
