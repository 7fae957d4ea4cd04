import { Button, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { Empty } from './Empty.tsx';
import { Pager } from './Pager.tsx';
import { RowsSkeleton } from './RowsSkeleton.tsx';
import { useFilters } from './search.ts';
import { useText } from './text.ts';

interface Paged<T> {
  readonly items: readonly T[];
  readonly total: number;
  readonly page: number;
  readonly page_size: number;
}

/** A page of a list, or all items. */
export type Loaded<T> = Paged<T> | { readonly items: readonly T[] };

interface Props<T> {
  /** Undefined while the list is loading. */
  readonly data: Loaded<T> | undefined;
  readonly empty: ReactNode;
  readonly children: (items: readonly T[]) => ReactNode;
}

export function Listing<T>({ data, empty, children }: Props<T>) {
  if (!data) return <RowsSkeleton />;
  const page = 'page_size' in data ? data : undefined;
  if (page?.items.length === 0 && page.total > 0) return <PastEnd {...page} />;
  return (
    <>
      {data.items.length > 0 ? children(data.items) : empty}
      {page && <Pager {...page} />}
    </>
  );
}

/** Shown if the URL names a page after the last one: the link is outdated, or items were removed in the meantime. */
function PastEnd({ total, page, page_size }: Omit<Paged<unknown>, 'items'>) {
  const t = useText().pastEnd;
  const [, setFilters] = useFilters();
  const last = Math.ceil(total / page_size);
  return (
    <Empty icon="search" title={t.title(page)}>
      <Stack align="center">
        {t.hint(last)}
        <Button variant="default" onClick={() => setFilters({ page: last === 1 ? undefined : String(last) })}>
          {t.toLast}
        </Button>
      </Stack>
    </Empty>
  );
}
