import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './Row.module.css';

interface Props {
  readonly title: string;
  readonly hint: string;
  readonly done?: string | undefined;
  readonly children: ReactNode;
}

export const Row = ({ title, hint, done, children }: Props) => (
  <div className={classes.row}>
    <div className={classes.words}>
      <Text fw={550}>{title}</Text>
      <Text size="sm" c="dimmed">
        {hint}
      </Text>
      <Text size="sm" role="status">
        {done}
      </Text>
    </div>
    {children}
  </div>
);
