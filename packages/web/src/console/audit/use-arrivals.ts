import type { AuditRow } from '@gatehouse/contract';
import { useState } from 'react';

interface Start {
  readonly view: string;
  /** The newest that was there when following began. */
  readonly newest: number;
}

/** Which events have come since this view is followed. `view` names it; undefined: it is not followed. */
export function useArrivals(rows: readonly AuditRow[] | undefined, view: string | undefined) {
  const [start, setStart] = useState<Start>();
  // Of another view, or of an earlier time.
  if (start !== undefined && start.view !== view) setStart(undefined);
  if (start === undefined && view !== undefined && rows) {
    setStart({ view, newest: Math.max(0, ...rows.map(({ id }) => id)) });
  }
  const isNew = ({ id }: AuditRow): boolean => start !== undefined && start.view === view && id > start.newest;
  return { isNew, arrived: rows?.filter(isNew) ?? [] };
}
