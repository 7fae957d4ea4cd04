import { MIGRATIONS } from '../migrations/list.ts';
import type { Migration } from './migration.ts';
import { type Indexes, readMigration } from './read-migration.ts';
import { RELEASES, type Release } from './releases.ts';

/**
 * Expand, then contract: a migration leaves everything there that the version before uses, and only a later release, when the version
 * before does without, takes it away. What is wrong with this one, in sentences; none: the version before can run beside it. The words of
 * the statements are read, and what cannot be read is refused. Bodies of functions are not: what a new trigger does is its author's word.
 */
export function faultsOf(migration: Migration, releases: readonly Release[] = RELEASES): string[] {
  const steps = readMigration(migration, indexesBefore(migration.version));
  const unread = steps.filter(({ unreadable }) => unreadable).map(({ text }) => `cannot be read: ${text}`);
  if (migration.contracts) return [...unread, ...faultsOfContraction(migration, releases)];
  const breaches = steps.flatMap(({ breach, effects }) => [breach, ...effects.map((effect) => effect.breach)]);
  return [...unread, ...breaches.filter((breach) => breach !== undefined)];
}

/** The release that stopped using it must be out: the one that takes it away is the next, at the earliest. */
function faultsOfContraction({ version, contracts }: Migration, releases: readonly Release[]): string[] {
  const { since, what } = contracts!;
  const release = releases.find((known) => known.version === since);
  return [
    ...(what.trim() === '' ? ['it does not say what it takes away'] : []),
    ...(release === undefined ? [`there is no release ${since} that did without`] : []),
    ...(release !== undefined && release.schema >= version ? [`${since} brought this migration itself`] : []),
  ];
}

function indexesBefore(version: number): Indexes {
  const indexes: Indexes = new Map();
  for (const earlier of MIGRATIONS) if (earlier.version < version) readMigration(earlier, indexes);
  return indexes;
}
