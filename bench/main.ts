import { discovery } from './discovery.ts';
import { lists } from './lists.ts';
import { type Bench, race } from './race.ts';
import { keepResults, printTable } from './report.ts';
import { login, refresh, session } from './sign-in.ts';
import { verify } from './verify.ts';

/** Each measures contestants against a limit in the same run: `npm run bench`, or `npm run bench -- discovery`. */
const BENCHES: Record<string, () => Promise<void>> = {
  discovery: raced('discovery', discovery),
  session: raced('session', session),
  login: raced('login', login),
  refresh: raced('refresh', refresh),
  verify: raced('verify', verify),
  lists,
};

/** Takes a quarter of an hour and several gigabytes: only when it is named. */
const LONG = new Set(['lists']);

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !Object.hasOwn(BENCHES, name));
if (unknown.length > 0) {
  console.error(`There is no bench called ${unknown.join(', ')}. Known: ${Object.keys(BENCHES).join(', ')}`);
  process.exit(2);
}

for (const [name, run] of Object.entries(BENCHES)) {
  if (wanted.length > 0 ? !wanted.includes(name) : LONG.has(name)) continue;
  console.log(`\n${name}`);
  await run();
}

function raced(name: string, prepare: () => Promise<Bench>): () => Promise<void> {
  return async () => {
    const bench = await prepare();
    try {
      const results = await race(bench);
      printTable(results);
      keepResults(name, results);
    } finally {
      await bench.close();
    }
  };
}
