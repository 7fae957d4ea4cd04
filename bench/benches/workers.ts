import { availableParallelism } from 'node:os';
import { insertAccounts } from '../accounts.ts';
import { type Bench, FEW_ROUNDS, raced } from '../bench.ts';
import { atLeast } from '../goals.ts';
import { bearerSession, login, rotation } from '../operations.ts';
import type { Result } from '../race.ts';
import { type Service, startService } from '../service.ts';

const ACCOUNTS = 1_000;
const SIZES = ['one worker', 'two workers'] as const;

const contestantsOf = async (service: Service, size: string) => ({
  session: await bearerSession({ name: `GET /auth/session, ${size}`, service }),
  refresh: await rotation({ name: `POST /auth/refresh, ${size}`, service }),
  login: login({
    name: `POST /auth/login, ${size}`,
    service,
    accounts: await insertAccounts(await service.connect(), ACCOUNTS),
  }),
});

/** Returns the possible speedup, which is limited because database and load generator also use the cores. */
const roomFor = (one: Result, two: Result): string => {
  const { service = 0, database = 0, load = 0 } = two.cpu;
  const possible = (availableParallelism() * 1000) / (service + database + load) / one.rate;
  const operation = one.name.replace(/,.*/, '');
  return `${operation}: ${(two.rate / one.rate).toFixed(2)} ×; with database and load generator on the same ${availableParallelism()} cores, at most ${possible.toFixed(2)} × is possible.`;
};

/** A single process already hashes on all cores, in threads: the goal is for operations bound to one core. */
export const workers: Bench = {
  name: 'workers',
  about: 'WORKERS=2 against WORKERS=1 on session, refresh and login',
  rounds: FEW_ROUNDS,
  async run(options) {
    const one = await contestantsOf(await startService({ settings: { WORKERS: '1' } }), SIZES[0]);
    const two = await contestantsOf(await startService({ settings: { WORKERS: '2' } }), SIZES[1]);
    const pairs = (['session', 'refresh', 'login'] as const).map(
      (operation) => [one[operation], two[operation]] as const,
    );
    const report = await raced(
      {
        contestants: pairs.flatMap((pair) => pair.map((contestant) => ({ ...contestant, against: pair[0].name }))),
        goals: pairs.slice(0, 2).map(([first, second]) => atLeast(1.7, second.name, first.name)),
      },
      options,
    );
    const find = (name: string) => report.results.find((result) => result.name === name)!;
    return { ...report, notes: pairs.map(([first, second]) => roomFor(find(first.name), find(second.name))) };
  },
};
