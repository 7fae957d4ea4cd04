import type { AuditRow } from '@gatehouse/contract';
import { Anchor, Table } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { Tag } from '../app/Tag.tsx';
import { useLanguage } from '../ui/language.tsx';
import classes from './Audit.module.css';
import { EventDetail } from './EventDetail.tsx';
import { useAuditSource } from './source.ts';
import { useText } from './text.ts';
import { actionName, outcomeName } from './words.ts';

interface Props {
  readonly rows: readonly AuditRow[];
  readonly isNew: (row: AuditRow) => boolean;
}

export function Events({ rows, isNew }: Props) {
  const t = useText();
  const { UserName, anonymous } = useAuditSource();
  const [shown, setShown] = useState<AuditRow>();
  const [opened, { open, close }] = useDisclosure();
  const show = (row: AuditRow) => {
    setShown(row);
    open();
  };
  return (
    <>
      <Table className={classes.events} role="table" aria-label={t.events} verticalSpacing="xs">
        <Table.Thead role="rowgroup">
          <Table.Tr role="row">
            {[t.when, t.what, t.outcome, t.who, t.address].map((name) => (
              <Table.Th key={name} role="columnheader" scope="col">
                {name}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody role="rowgroup">
          {rows.map((row) => (
            <Table.Tr key={row.id} role="row" className={isNew(row) ? classes.new : undefined}>
              <Table.Td role="cell" className={classes.whenCell}>
                <Stamp at={row.timestamp} />
              </Table.Td>
              <Table.Td role="cell" className={classes.whatCell}>
                <Anchor component="button" type="button" className={classes.what} onClick={() => show(row)}>
                  {actionName(row.action, t)}
                </Anchor>{' '}
                {isNew(row) && (
                  <Tag marked tone="good">
                    {t.isNew}
                  </Tag>
                )}
                <div className={classes.raw}>{row.action}</div>
              </Table.Td>
              <Table.Td role="cell" className={classes.outcomeCell}>
                <Tag marked tone={row.outcome === 'success' ? 'good' : 'bad'}>
                  {outcomeName(row.outcome, t)}
                </Tag>
              </Table.Td>
              <Table.Td role="cell" className={classes.who}>
                {row.actor_id === null ? (
                  <span className={classes.raw}>{anonymous(row)}</span>
                ) : (
                  <UserName id={row.actor_id} />
                )}
              </Table.Td>
              <Table.Td role="cell" className={classes.addressCell}>
                <span className={classes.raw}>{row.ip_address}</span>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <EventDetail row={shown} opened={opened} onClose={close} />
    </>
  );
}

function Stamp({ at }: { at: string }) {
  const { language } = useLanguage();
  const date = new Date(at);
  return (
    <time dateTime={at} className={classes.when}>
      {date.toLocaleTimeString(language)}{' '}
      <span className={classes.day}>{date.toLocaleDateString(language, { dateStyle: 'medium' })}</span>
    </time>
  );
}
