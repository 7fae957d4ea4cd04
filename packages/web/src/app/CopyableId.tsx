import { Group } from '@mantine/core';
import { CopyButton } from '../ui/CopyButton.tsx';

export const CopyableId = ({ id }: { id: string }) => (
  <Group gap="xs">
    <code>{id}</code>
    <CopyButton value={id} size="compact-xs" />
  </Group>
);
