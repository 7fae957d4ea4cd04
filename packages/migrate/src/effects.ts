/** PostgreSQL's table locks, weakest first. */
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

/** `catalog`: takes the same short time for any table size. `reads`, `writes`: processes all rows. */
type Work = 'catalog' | 'reads' | 'writes';

/** What a statement does to a table that existed before its migration. */
export interface Effect {
  readonly table: string;
  readonly lock: Lock;
  readonly work: Work;
  /** Why the previous version cannot run at the same time. */
  readonly breach?: string | undefined;
}

export const effect = (table: string, lock: Lock, work: Work = 'catalog', breach?: string): Effect => ({
  table,
  lock,
  work,
  breach,
});

/** The effect of a foreign key in the definition of a column or constraint on the referenced table. */
export function referencesIn(definition: string, kept: readonly string[]): Effect[] {
  const table = /\breferences (?:\w+\.)?(\w+)/.exec(definition)?.[1];
  if (table === undefined) return [];
  const allowsDelete = kept.includes(table) || /\bon delete (cascade|set null)\b/.test(definition);
  const breach = `the previous version could not delete rows of ${table} that are referred to: add \`on delete cascade\` or \`on delete set null\``;
  return [effect(table, 'SHARE ROW EXCLUSIVE', 'catalog', allowsDelete ? undefined : breach)];
}
