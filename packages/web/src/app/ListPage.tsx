import { Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { IconName } from '../ui/Icon.tsx';
import { Panel } from '../ui/Panel.tsx';
import { type Column, DataTable } from './DataTable.tsx';
import { Empty } from './Empty.tsx';
import { Listing, type Loaded } from './Listing.tsx';
import { PageHead } from './PageHead.tsx';

interface Props<T> {
  readonly title: string;
  readonly lead?: ReactNode;
  /** The button that creates an item. */
  readonly actions?: ReactNode;
  /** Shown above the list. */
  readonly notes?: ReactNode;
  readonly filters?: ReactNode;
  /** Returns the text above the list that says how many items match. */
  readonly count?: (total: number) => string;
  readonly data: Loaded<T> | undefined;
  /** Whether the next response is pending. */
  readonly waiting?: boolean;
  readonly icon: IconName;
  readonly empty: string;
  readonly emptyHint?: ReactNode;
  readonly keyOf: (item: T) => string;
  readonly columns: readonly Column<T>[];
  readonly rowActions?: ((item: T) => ReactNode) | undefined;
}

/** A page with one table. The data is a page of a list by `useList`, or all items. */
export function ListPage<T>({ title, lead, actions, notes, filters, count, data, ...list }: Props<T>) {
  const { waiting = false, icon, empty, emptyHint, keyOf, columns, rowActions } = list;
  return (
    <>
      <PageHead title={title} lead={lead} actions={actions} />
      <Stack>
        {notes}
        <Panel>
          {filters && (
            <Stack gap="xs">
              {filters}
              <Text size="sm" c="dimmed" role="status">
                {data && 'total' in data && count?.(data.total)}
              </Text>
            </Stack>
          )}
          <Listing
            data={data}
            empty={
              <Empty icon={icon} title={empty}>
                {emptyHint}
              </Empty>
            }
          >
            {(items) => (
              <DataTable
                label={title}
                items={items}
                keyOf={keyOf}
                columns={columns}
                actions={rowActions}
                waiting={waiting}
              />
            )}
          </Listing>
        </Panel>
      </Stack>
    </>
  );
}
