/** What PostgreSQL calls its table locks, the weakest first. */
export const LOCKS = [
  'ACCESS SHARE',
  'ROW SHARE',
  'ROW EXCLUSIVE',
  'SHARE UPDATE EXCLUSIVE',
  'SHARE',
  'SHARE ROW EXCLUSIVE',
  'EXCLUSIVE',
  'ACCESS EXCLUSIVE',
] as const;
export type Lock = (typeof LOCKS)[number];

/** `catalog`: done in a moment, however large the table is. `reads`, `writes`: goes through its rows. */
type Work = 'catalog' | 'reads' | 'writes';

/** What a statement does to a table that was there before its migration. */
export interface Effect {
  readonly table: string;
  readonly lock: Lock;
  readonly work: Work;
  /** Why the version before cannot run beside it. */
  readonly breach?: string | undefined;
}

export const effect = (table: string, lock: Lock, work: Work = 'catalog', breach?: string): Effect => ({
  table,
  lock,
  work,
  breach,
});

/** Rows of these are never deleted. */
const KEPT = new Set(['users', 'organizations']);

/** Of the definition of one column, or of one constraint. */
export function referencesIn(definition: string): Effect[] {
  const table = /\breferences (?:\w+\.)?(\w+)/.exec(definition)?.[1];
  if (table === undefined) return [];
  const goesAlong = KEPT.has(table) || /\bon delete (cascade|set null)\b/.test(definition);
  const breach = `the version before could not delete rows of ${table} that are referred to: add \`on delete cascade\` or \`on delete set null\``;
  return [effect(table, 'SHARE ROW EXCLUSIVE', 'catalog', goesAlong ? undefined : breach)];
}
