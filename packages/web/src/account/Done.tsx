import { Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Icon } from '../ui/Icon.tsx';
import classes from './Done.module.css';

/** What has just been done, said aloud too. It stands there empty before, so that screen readers notice the change. */
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
