import type { FeatureFlag } from '@gatehouse/contract';
import { queries } from '../../app/query.ts';
import { client } from '../../ui/client.ts';

/** The default flags and, if an organization is given, its overrides. */
export const flagsQuery = (organization_id: string | undefined) => ({
  queryKey: ['flags', organization_id ?? null],
  queryFn: () => client.flags.list(organization_id),
});

export const reloadFlags = (): Promise<void> => queries.invalidateQueries({ queryKey: ['flags'] });

export interface Flag {
  readonly key: string;
  readonly all: FeatureFlag | undefined;
  readonly own: FeatureFlag | undefined;
}

/** Keeps the order of the rows, which is by key. */
export function groupFlags(rows: readonly FeatureFlag[]): Flag[] {
  const keys = [...new Set(rows.map(({ flag_key }) => flag_key))];
  return keys.map((key) => {
    const mine = rows.filter(({ flag_key }) => flag_key === key);
    return {
      key,
      all: mine.find(({ organization_id }) => organization_id === null),
      own: mine.find(({ organization_id }) => organization_id !== null),
    };
  });
}

export interface Scope {
  /** Null: the default for all organizations. */
  readonly organization_id: string | null;
  readonly name: string;
}
