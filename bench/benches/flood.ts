import { type Account, insertAccounts } from '../accounts.ts';
import { type Bench, raced } from '../bench.ts';
import type { Contestant } from '../contestant.ts';
import { atLeast, p99Within, perSecond } from '../goals.ts';
import { CONNECTIONS, PASSWORD } from '../limits.ts';
import { load, request, type Tally } from '../load.ts';
import { bearerSession, login, rotation } from '../operations.ts';
import { type Service, startService } from '../service.ts';

const ACCOUNTS = 2_000;
const TIMES = 10;
/** More than the service queues, so that no request of the flood waits for a connection. */
const FLOOD_CONNECTIONS = 600;
/** Seconds from the start of the flood to the measurement, in which the queue fills. */
const LEAD_SECONDS = 1;

const SESSION = 'GET /auth/session';
const REFRESH = 'POST /auth/refresh';
const FLOODED = 'during the flood';

interface Flood {
  beside(contestant: Contestant, name: string): Contestant;
  describe(): string[];
}

/** Sends sign-ins with right passwords, from random accounts and addresses, at a fixed rate whether answered or not. */
function createFlood(service: Service, accounts: readonly Account[], rate: number): Flood {
  const tallies: Tally[] = [];
  const random = (below: number) => Math.floor(Math.random() * below);
  const next = () => {
    const { email } = accounts[random(accounts.length)]!;
    const address = `10.${random(256)}.${random(256)}.${random(256)}`;
    return request(
      'POST',
      '/v1/auth/login',
      { 'x-forwarded-for': address },
      JSON.stringify({ email, password: PASSWORD }),
    );
  };
  const pour = (seconds: number) =>
    load({ port: service.port, connections: FLOOD_CONNECTIONS, next, perSecond: rate }, seconds);
  return {
    beside: ({ prepare: _, ...contestant }, name) => ({
      ...contestant,
      name,
      against: contestant.name,
      async shoot(seconds) {
        const flood = pour(seconds + LEAD_SECONDS);
        flood.catch(() => {});
        await new Promise((resolve) => setTimeout(resolve, LEAD_SECONDS * 1000));
        const count = await contestant.shoot(seconds);
        const tally = await flood;
        tallies.push(tally);
        return { ...count, total: count.total + tally.answers };
      },
    }),
    describe() {
      const sum = (of: (tally: Tally) => number) => tallies.reduce((total, tally) => total + of(tally), 0);
      const kinds = [...new Set(tallies.flatMap(({ statuses }) => [...statuses.keys()]))].sort();
      const answered = kinds.map((status) => `${status}: ${sum(({ statuses }) => statuses.get(status) ?? 0)}`);
      return [
        `Flood: ${perSecond(rate)} sign-ins, responses ${answered.join(', ')}; ${sum(({ lost }) => lost)} lost, ${sum(({ unsent }) => unsent)} not sent for lack of a connection.`,
        'CPU time during the flood includes the flood, divided by the requests of both.',
      ];
    },
  };
}

/** Returns the highest of three measured rates: the flood is a multiple of it, and must not be too weak. */
async function findCapacity(signIns: Contestant, seconds: number): Promise<number> {
  const rates: number[] = [];
  for (let index = 0; index < 4; index++) rates.push((await signIns.shoot(seconds)).rate);
  return Math.max(...rates.slice(1));
}

export const flood: Bench = {
  name: 'flood',
  about: 'session and refresh during ten times the sign-ins that can be handled, from many addresses and accounts',
  rounds: { rounds: 3, seconds: 2, maxWarmUpSeconds: 10 },
  async run(options) {
    const service = await startService({ settings: { TRUST_PROXY: '127.0.0.1' } });
    const accounts = await insertAccounts(await service.connect(), ACCOUNTS);
    const capacity = await findCapacity(login({ name: 'capacity', service, accounts }), options.seconds);
    const { beside, describe } = createFlood(service, accounts, Math.ceil(TIMES * capacity));
    const session = await bearerSession({ name: SESSION, service });
    const refresh = await rotation({ name: REFRESH, service });
    const report = await raced(
      {
        contestants: [
          refresh,
          beside(refresh, `${REFRESH} ${FLOODED}`),
          { ...session, against: SESSION },
          beside(session, `${SESSION} ${FLOODED}`),
        ],
        goals: [p99Within(30, `${SESSION} ${FLOODED}`), atLeast(0.75, `${REFRESH} ${FLOODED}`, REFRESH)],
      },
      options,
    );
    const alone = `Sign-ins alone: ${perSecond(capacity)}. The measured requests use ${CONNECTIONS} connections.`;
    return { ...report, notes: [alone, ...describe()] };
  },
};
