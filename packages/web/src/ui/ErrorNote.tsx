import { type FailureCode, isGatehouseError } from '@gatehouse/client';
import { useEffect, useRef } from 'react';
import { Note } from './Note.tsx';
import type { Text as Words } from './text/en.ts';
import { useWords } from './words.ts';

/** More specific messages for some codes: at sign-in, a 401 is a wrong password. */
export type Sentences = Partial<Record<FailureCode, string>>;

function sentenceOf(error: unknown, words: Words, sentences: Sentences = {}): string {
  if (!isGatehouseError(error)) return words.errors.internal_error;
  if (error.code === 'unreachable' && !navigator.onLine) return words.offline;
  const sentence = sentences[error.code] ?? words.errors[error.code];
  return error.retry_after === undefined ? sentence : `${sentence} ${words.retryIn(error.retry_after)}`;
}

interface Props {
  readonly error: unknown;
  readonly sentences?: Sentences | undefined;
  readonly links?: Partial<Record<FailureCode, { readonly href: string; readonly label: string }>> | undefined;
}

export function ErrorNote({ error, sentences, links }: Props) {
  const words = useWords();
  const note = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (error !== undefined) note.current?.scrollIntoView?.({ block: 'nearest' });
  }, [error]);
  if (error === undefined || error === null) return null;
  const { code, request_id } = isGatehouseError(error) ? error : {};
  return (
    <Note
      ref={note}
      link={code && links?.[code]}
      reference={code === 'internal_error' && request_id ? words.reference(request_id) : undefined}
    >
      {sentenceOf(error, words, sentences)}
    </Note>
  );
}
