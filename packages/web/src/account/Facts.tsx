import { Text } from '@mantine/core';
import { Children, Fragment, type ReactNode } from 'react';

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
