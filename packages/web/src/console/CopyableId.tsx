import { Group } from '@mantine/core';
import { CopyButton } from '../ui/CopyButton.tsx';

/** An id to be copied for the command line, the API or the log. */
export const CopyableId = ({ id }: { id: string }) => (
  <Group gap="xs">
    <code>{id}</code>
    <CopyButton value={id} size="compact-xs" />
  </Group>
);
