import { Table } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './DataTable.module.css';
import { useText } from './text.ts';

export interface Column<T> {
  readonly head: string;
  readonly cell: (item: T) => ReactNode;
  /** Keeps the text on one line. */
  readonly short?: boolean;
}

interface Props<T> {
  readonly label: string;
  readonly items: readonly T[];
  readonly keyOf: (item: T) => string;
  /** The first column is the header of the row. */
  readonly columns: readonly Column<T>[];
  readonly actions?: ((item: T) => ReactNode) | undefined;
  /** Whether the next response is pending. */
  readonly waiting?: boolean;
}

/** A table whose rows become cards if it is narrow. Roles are explicit: in some browsers, `display` removes them. */
export function DataTable<T>({ label, items, keyOf, columns, actions, waiting }: Props<T>) {
  const t = useText();
  return (
    <div className={classes.place} data-waiting={waiting || undefined}>
      <Table className={classes.table} role="table" aria-label={label} aria-busy={waiting}>
        <Table.Thead role="rowgroup">
          <Table.Tr role="row">
            {columns.map(({ head }) => (
              <Table.Th key={head} role="columnheader" scope="col">
                {head}
              </Table.Th>
            ))}
            {actions && (
              <Table.Th role="columnheader" scope="col">
                <span className="visually-hidden">{t.actions}</span>
              </Table.Th>
            )}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody role="rowgroup">
          {items.map((item) => (
            <Table.Tr key={keyOf(item)} role="row">
              {columns.map(({ head, cell, short }) => (
                <Table.Td key={head} role="cell" data-head={head} data-short={short}>
                  {cell(item)}
                </Table.Td>
              ))}
              {actions && (
                <Table.Td role="cell" className={classes.actions}>
                  <div className={classes.buttons}>{actions(item)}</div>
                </Table.Td>
              )}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}
