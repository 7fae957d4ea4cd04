import { type ReactNode, useCallback, useEffect, useState } from 'react';
import { ErrorNote } from '../ui/ErrorNote.tsx';
import { useWords } from '../ui/words.ts';
import { Frame } from './Frame.tsx';
import { Button } from './parts/Button.tsx';
import { Skeleton } from './parts/Stack.tsx';
import { useText } from './text.ts';

interface Props<T> {
  readonly load: () => Promise<T>;
  readonly children: (value: T, again: () => void) => ReactNode;
}

export function Loaded<T>({ load, children }: Props<T>) {
  const t = useText();
  const words = useWords();
  const { outcome, again } = useLoaded(load);
  if (!outcome) {
    return (
      <Frame>
        <Skeleton label={words.loading} />
      </Frame>
    );
  }
  if ('value' in outcome) return children(outcome.value, again);
  return (
    <Frame title={t.failedTitle}>
      <ErrorNote error={outcome.error} />
      <Button onClick={again}>{words.tryAgain}</Button>
    </Frame>
  );
}

type Outcome<T> = { readonly value: T } | { readonly error: unknown };

/** `load` must be the same function as long as it loads the same data. */
function useLoaded<T>(load: () => Promise<T>) {
  const [outcome, setOutcome] = useState<Outcome<T>>();
  const again = useCallback(() => {
    setOutcome(undefined);
    load().then(
      (value) => setOutcome({ value }),
      (error: unknown) => setOutcome({ error }),
    );
  }, [load]);
  useEffect(again, [again]);
  return { outcome, again };
}
