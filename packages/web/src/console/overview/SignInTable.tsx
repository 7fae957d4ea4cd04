import type { Overview } from '@gatehouse/contract';
import { Table } from '@mantine/core';
import { useLanguage } from '../../ui/language.tsx';
import classes from './SignInTable.module.css';
import { useText } from './text.ts';
import { useTimeNames } from './time-names.ts';

export function SignInTable({ step, points }: Overview['sign_ins']) {
  const t = useText();
  const { language } = useLanguage();
  const names = useTimeNames(step);
  return (
    <details>
      <summary className={classes.summary}>{t.asTable}</summary>
      <Table mt="xs" horizontalSpacing="sm" verticalSpacing={4} className={classes.table}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">{step === 'hour' ? t.hour : t.day}</Table.Th>
            <Table.Th scope="col">{t.succeeded}</Table.Th>
            <Table.Th scope="col">{t.failed}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {points.toReversed().map(({ at, succeeded, failed }) => (
            <Table.Tr key={at}>
              <Table.Th scope="row" fw={400}>
                <time dateTime={at}>{names.long(at)}</time>
              </Table.Th>
              <Table.Td>{succeeded.toLocaleString(language)}</Table.Td>
              <Table.Td>{failed.toLocaleString(language)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </details>
  );
}
