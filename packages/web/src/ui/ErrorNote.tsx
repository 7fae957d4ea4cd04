import { type FailureCode, isGatehouseError } from '@gatehouse/client';
import { Alert, Text } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';
import type { Text as Words } from './text/en.ts';
import { useWords } from './words.ts';

/** More specific messages for some codes: at sign-in, a 401 is a wrong password. */
export type Sentences = Partial<Record<FailureCode, string>>;

function sentenceOf(error: unknown, words: Words, sentences: Sentences = {}): string {
  if (!isGatehouseError(error)) return words.errors.internal_error;
  const sentence = sentences[error.code] ?? words.errors[error.code];
  return error.retry_after === undefined ? sentence : `${sentence} ${words.retryIn(error.retry_after)}`;
}

interface Props {
  readonly error: unknown;
  readonly sentences?: Sentences | undefined;
}

/** An error message with its own text. */
export const Note = ({ children }: { children: ReactNode }) => (
  <Alert color="red" role="alert" variant="light">
    {children}
  </Alert>
);

/** The message of an error, announced by screen readers. Renders nothing without an error. */
export function ErrorNote({ error, sentences }: Props) {
  const words = useWords();
  const note = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (error !== undefined) note.current?.scrollIntoView?.({ block: 'nearest' });
  }, [error]);
  if (error === undefined || error === null) return null;
  const reference = isGatehouseError(error, 'internal_error') ? error.request_id : undefined;
  return (
    <Alert ref={note} color="red" role="alert" variant="light">
      {sentenceOf(error, words, sentences)}
      {reference && (
        <Text size="xs" mt={4}>
          {words.reference(reference)}
        </Text>
      )}
    </Alert>
  );
}
