import { insertApplication } from '../applications.ts';
import { type Bench, raced } from '../bench.ts';
import { type Contestant, requests } from '../contestant.ts';
import { atLeast } from '../goals.ts';
import { CONNECTIONS, RS256, rs256 } from '../limits.ts';
import { request } from '../load.ts';
import {
  clientHeaders,
  codeForm,
  nextOf,
  OIDC_CODE,
  OIDC_CODE_JWT,
  OIDC_REFRESH,
  OIDC_REFRESH_JWT,
  OIDC_USERINFO,
  peersOfApplications,
  peersOfRefresh,
} from '../peers.ts';
import { startService } from '../service.ts';

const CODE = 'POST /oauth/token (code)';
const REFRESH = 'POST /oauth/token (refresh)';
const USERINFO = 'GET /oauth/userinfo';

interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
}

const peers = async (codesPerSecond: number): Promise<Contestant[]> => [
  ...(await peersOfApplications(codesPerSecond)),
  ...(await peersOfRefresh()),
  ...(await peersOfApplications(codesPerSecond, { jwt: true })),
  ...(await peersOfRefresh({ jwt: true })),
];

export const applications: Bench = {
  name: 'applications',
  about: 'POST /oauth/token and GET /oauth/userinfo against RS256 alone; peer: oidc-provider in memory',
  async run(options) {
    const service = await startService({ settings: { LIMIT_APPLICATION_TOKENS: '100000000/1m' } });
    const limit = rs256();
    // Codes for three times the rate of one thread: the thread pool of the service may sign twice as fast.
    const codesPerSecond = 3 * (await limit.shoot(1)).rate;
    const application = await insertApplication(await service.connect());
    const headers = clientHeaders(application.client_id, application.secret);
    const exchangeOf = (code: string) =>
      request('POST', '/oauth/token', headers, codeForm({ code, ...application.exchange }));

    const granted = await Promise.all(
      (await application.writeCodes(CONNECTIONS)).map(async (code) => {
        const body = codeForm({ code, ...application.exchange });
        const answer = await fetch(`${service.url}/oauth/token`, { method: 'POST', headers, body });
        if (!answer.ok) throw new Error(`the exchange was answered ${answer.status}: ${await answer.text()}`);
        return (await answer.json()) as Tokens;
      }),
    );
    const refreshOf = (token: string) =>
      request('POST', '/oauth/token', headers, `grant_type=refresh_token&refresh_token=${encodeURIComponent(token)}`);
    const lanes = granted.map(({ refresh_token }) => refreshOf(refresh_token));
    const userinfo = request('GET', '/oauth/userinfo', { authorization: `Bearer ${granted[0]!.access_token}` });
    const ours = { pids: [service.pid], port: service.port, connections: CONNECTIONS };
    let left: Buffer[] = [];
    return raced(
      {
        contestants: [
          limit,
          requests({
            name: CODE,
            ...ours,
            async prepare(seconds) {
              left = (await application.writeCodes(Math.ceil(codesPerSecond * seconds) + CONNECTIONS)).map(exchangeOf);
            },
            next: () => nextOf(left),
          }),
          requests({
            name: REFRESH,
            ...ours,
            next: (lane) => lanes[lane]!,
            read: (lane, { body }) => {
              lanes[lane] = refreshOf((JSON.parse(body) as Tokens).refresh_token);
            },
          }),
          requests({ name: USERINFO, ...ours, next: () => userinfo }),
          ...(options.peers ? await peers(codesPerSecond) : []),
        ],
        goals: [
          atLeast(0.5, CODE, RS256),
          atLeast(0.5, REFRESH, RS256),
          atLeast(1, CODE, OIDC_CODE_JWT),
          atLeast(1, REFRESH, OIDC_REFRESH_JWT),
          atLeast(1, CODE, OIDC_CODE),
          atLeast(1, REFRESH, OIDC_REFRESH),
          atLeast(3, USERINFO, OIDC_USERINFO),
        ],
      },
      options,
    );
  },
};
