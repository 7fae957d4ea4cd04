import type { SsoConnection } from '@gatehouse/contract';
import { Group } from '@mantine/core';
import { Tag } from '../../app/Tag.tsx';
import { Moment } from '../../ui/Moment.tsx';
import { useText } from './text.ts';

export const StateTag = ({ status }: Pick<SsoConnection, 'status'>) => (
  <Tag marked tone={status === 'active' ? 'good' : 'plain'}>
    {useText().states[status]}
  </Tag>
);

export function TestTag({ last_test }: Pick<SsoConnection, 'last_test'>) {
  const t = useText().testStates;
  if (last_test === null) return t.none;
  return (
    <Group gap={6}>
      <Tag marked tone={last_test.ok ? 'good' : 'bad'}>
        {last_test.ok ? t.good : t.bad}
      </Tag>
      <Moment at={last_test.at} />
    </Group>
  );
}
