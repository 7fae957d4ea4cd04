import type { History, Migration, Release } from './migration.ts';
import { type Indexes, readMigration } from './read-migration.ts';

/**
 * Expand, then contract: a migration keeps everything that the previous version uses; only a later release, whose
 * predecessor no longer needs it, removes it. Returns the violations as sentences; none if the previous version can run
 * at the same time. The check parses the statements and rejects what it cannot parse. It does not parse function
 * bodies: the author vouches for what a new trigger does.
 */
export function faultsOf(migration: Migration, history: History): string[] {
  const steps = readMigration(migration, indexesBefore(migration.version, history), history.kept);
  const unread = steps.filter(({ unreadable }) => unreadable).map(({ text }) => `cannot be read: ${text}`);
  if (migration.contracts) return [...unread, ...faultsOfContraction(migration, history.releases)];
  const breaches = steps.flatMap(({ breach, effects }) => [breach, ...effects.map((effect) => effect.breach)]);
  return [...unread, ...breaches.filter((breach) => breach !== undefined)];
}

/** The release that stopped using the object must be out: the removal comes in the next release at the earliest. */
function faultsOfContraction({ version, contracts }: Migration, releases: readonly Release[]): string[] {
  const { since, what } = contracts!;
  const release = releases.find((known) => known.version === since);
  return [
    ...(what.trim() === '' ? ['it does not say what it removes'] : []),
    ...(release === undefined ? [`there is no release ${since}, which should have stopped using it`] : []),
    ...(release !== undefined && release.schema >= version ? [`release ${since} contains this migration itself`] : []),
  ];
}

function indexesBefore(version: number, { migrations, kept }: History): Indexes {
  const indexes: Indexes = new Map();
  for (const earlier of migrations) if (earlier.version < version) readMigration(earlier, indexes, kept);
  return indexes;
}
