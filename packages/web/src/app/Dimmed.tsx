import { Text } from '@mantine/core';
import type { ReactNode } from 'react';

/** Small text that explains what is around it. */
export const Dimmed = ({ children }: { children: ReactNode }) => (
  <Text size="sm" c="dimmed">
    {children}
  </Text>
);
