import { Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Icon, type IconName } from '../ui/Icon.tsx';

interface Props {
  readonly icon: IconName;
  readonly title: string;
  readonly children?: ReactNode;
}

export const Empty = ({ icon, title, children }: Props) => (
  <Stack align="center" gap="xs" py="xl" ta="center">
    <Text c="dimmed" component="div" lh={1}>
      <Icon name={icon} size={32} />
    </Text>
    <Text fw={600}>{title}</Text>
    {children && (
      <Text c="dimmed" size="sm" component="div" maw="30rem">
        {children}
      </Text>
    )}
  </Stack>
);
