import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { discovery } from './discovery.ts';
import { type Bench, race } from './race.ts';
import { printTable } from './report.ts';
import { login, refresh, session } from './sign-in.ts';

/** Each measures contestants against a limit in the same run: `npm run bench`, or `npm run bench -- discovery`. */
const BENCHES: Record<string, () => Promise<Bench>> = { discovery, session, login, refresh };

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !(name in BENCHES));
if (unknown.length > 0) {
  console.error(`There is no bench called ${unknown.join(', ')}. Known: ${Object.keys(BENCHES).join(', ')}`);
  process.exit(2);
}

for (const [name, prepare] of Object.entries(BENCHES)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  console.log(`\n${name}`);
  const bench = await prepare();
  try {
    const results = await race(bench);
    printTable(results);
    const folder = join(import.meta.dirname, 'results');
    mkdirSync(folder, { recursive: true });
    writeFileSync(
      join(folder, `${name}.json`),
      JSON.stringify({ name, at: new Date().toISOString(), results }, null, 2),
    );
  } finally {
    await bench.close();
  }
}
