import { Box, Button } from '@mantine/core';
import { Notice } from '../../app/Notice.tsx';
import { ErrorNote, type Sentences } from '../../ui/ErrorNote.tsx';
import { useWords } from '../../ui/words.ts';

interface Props {
  /** A warning about sessions that saving ends. Screen readers announce it when it appears. */
  readonly warning?: string | false;
  readonly error: unknown;
  readonly sentences: Sentences;
  readonly busy: boolean;
  readonly isChanged: boolean;
}

export function SaveRow({ warning = false, error, sentences, busy, isChanged }: Props) {
  const words = useWords();
  return (
    <div>
      <Box role="status" mb={warning ? 'md' : 0}>
        {warning && <Notice>{warning}</Notice>}
      </Box>
      <Box mb={error === undefined ? 0 : 'md'}>
        <ErrorNote error={error} sentences={sentences} />
      </Box>
      <Button type="submit" variant="default" loading={busy} disabled={!isChanged}>
        {words.save}
      </Button>
    </div>
  );
}
