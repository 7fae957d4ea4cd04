import { type Bench, raced } from '../bench.ts';
import { startDatabase } from '../database.ts';
import { atLeast, p99AtMost, ratioTo } from '../goals.ts';
import { BARE, bareFastify } from '../limits.ts';
import { bearerSession, cookieSession } from '../operations.ts';
import { GLEWLWYD_USERINFO, glewlwydUserinfo } from '../peer-glewlwyd.ts';
import { BETTER_AUTH_SESSION, OIDC_USERINFO, peersOfSession } from '../peers.ts';
import { startService } from '../service.ts';

const BEARER = 'GET /auth/session (Bearer)';
const COOKIE = 'GET /auth/session (cookie)';

export const session: Bench = {
  name: 'session',
  about:
    'GET /auth/session against a bare Fastify route; peers: get-session of better-auth, userinfo of oidc-provider and of glewlwyd',
  async run(options) {
    const service = await startService();
    return raced(
      {
        contestants: [
          await bareFastify(),
          await bearerSession({ name: BEARER, service }),
          await cookieSession({ name: COOKIE, service }),
          ...(options.peers ? [...(await peersOfSession(await startDatabase())), ...(await glewlwydUserinfo())] : []),
        ],
        goals: [BEARER, COOKIE].flatMap((ours) => [
          atLeast(0.85, ours, BARE),
          p99AtMost(1.5, ours, BARE),
          atLeast(30, ours, BETTER_AUTH_SESSION),
          atLeast(4, ours, OIDC_USERINFO),
          ratioTo(ours, GLEWLWYD_USERINFO),
        ]),
      },
      options,
    );
  },
};
