import { Code, Group } from '@mantine/core';
import { CopyButton } from '../ui/CopyButton.tsx';

interface Props {
  readonly value: string;
  /** Names what the button copies, because a page has several. */
  readonly label: string;
}

export const Copyable = ({ value, label }: Props) => (
  <Group gap="xs">
    <Code style={{ overflowWrap: 'anywhere' }}>{value}</Code>
    <CopyButton value={value} size="compact-xs" aria-label={label} />
  </Group>
);
