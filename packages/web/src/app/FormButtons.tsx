import { Button, Group } from '@mantine/core';
import { useWords } from '../ui/words.ts';
import { useCloseDialog } from './unsaved.ts';

interface Props {
  readonly verb: string;
  readonly busy: boolean;
  readonly danger?: boolean;
  readonly disabled?: boolean;
  /** Whether the button that sends the form gets the focus when the dialog opens. */
  readonly focused?: boolean;
}

export const FormButtons = ({ verb, busy, danger = false, disabled = false, focused = false }: Props) => (
  <Group justify="flex-end">
    <Button variant="default" onClick={useCloseDialog()}>
      {useWords().cancel}
    </Button>
    <Button
      type="submit"
      color={danger ? 'red' : undefined}
      loading={busy}
      disabled={disabled}
      data-autofocus={focused || undefined}
    >
      {verb}
    </Button>
  </Group>
);
