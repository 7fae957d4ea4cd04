import { Group } from '@mantine/core';
import { CopyButton } from '../ui/CopyButton.tsx';

/** For the command line, the API and the log. */
export const CopyableId = ({ id }: { id: string }) => (
  <Group gap="xs">
    <code>{id}</code>
    <CopyButton value={id} size="compact-xs" />
  </Group>
);
