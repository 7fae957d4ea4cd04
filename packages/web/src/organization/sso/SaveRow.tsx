import { Box, Button } from '@mantine/core';
import { Notice } from '../../app/Notice.tsx';
import type { Form } from '../../app/use-form.ts';
import { ErrorNote, type Sentences } from '../../ui/ErrorNote.tsx';
import { useWords } from '../../ui/words.ts';

interface Props {
  readonly form: Form;
  /** A warning about sessions that saving ends. Screen readers announce it when it appears. */
  readonly warning?: string | false;
  readonly sentences: Sentences;
  readonly isChanged?: boolean;
}

export function SaveRow({ form, warning = false, sentences, isChanged = form.isChanged }: Props) {
  const words = useWords();
  return (
    <div>
      <Box role="status" mb={warning ? 'md' : 0}>
        {warning && <Notice>{warning}</Notice>}
      </Box>
      <Box mb={form.error === undefined ? 0 : 'md'}>
        <ErrorNote error={form.error} sentences={sentences} />
      </Box>
      <Button type="submit" variant="default" loading={form.busy} disabled={!isChanged}>
        {words.save}
      </Button>
    </div>
  );
}
