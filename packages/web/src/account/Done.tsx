import { Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Icon } from '../ui/Icon.tsx';
import classes from './Done.module.css';

/** A success message. The element exists while it is empty, so that screen readers announce the change. */
export const Done = ({ children }: { children?: ReactNode }) => (
  <div role="status" className={classes.done}>
    {children && (
      <Group gap="xs" wrap="nowrap" align="flex-start">
        <Icon name="check" />
        <Text size="sm" component="div">
          {children}
        </Text>
      </Group>
    )}
  </div>
);
