import { Button, Group } from '@mantine/core';
import { useWords } from '../ui/words.ts';

interface Props {
  readonly verb: string;
  readonly busy: boolean;
  readonly onCancel: () => void;
}

export const FormButtons = ({ verb, busy, onCancel }: Props) => (
  <Group justify="flex-end">
    <Button variant="default" onClick={onCancel}>
      {useWords().cancel}
    </Button>
    <Button type="submit" loading={busy}>
      {verb}
    </Button>
  </Group>
);
