import { Text } from '@mantine/core';
import { Children, Fragment, type ReactNode } from 'react';
import { Moment } from '../ui/Moment.tsx';

export const Facts = ({ children }: { children: ReactNode }) => (
  <Text size="sm" c="dimmed" component="div">
    {Children.toArray(children).map((fact, index) => (
      <Fragment key={(fact as { key?: string }).key ?? String(fact)}>
        {index > 0 && ' · '}
        {fact}
      </Fragment>
    ))}
  </Text>
);

export const FactAt = ({ name, at }: { name: string; at: string | null }) => (
  <span>
    {name} <Moment at={at} />
  </span>
);
