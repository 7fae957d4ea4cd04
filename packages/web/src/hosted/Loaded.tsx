import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { ErrorNote } from '../ui/ErrorNote.tsx';
import { Loading } from '../ui/Loading.tsx';
import { useWords } from '../ui/words.ts';
import { Frame } from './Frame.tsx';
import classes from './Loaded.module.css';
import { useText } from './text.ts';
import { useLoaded } from './use-loaded.ts';

interface Props<T> {
  readonly load: () => Promise<T>;
  readonly children: (value: T, again: () => void) => ReactNode;
}

/** A page that needs something from the service before it can be shown. */
export function Loaded<T>({ load, children }: Props<T>) {
  const t = useText();
  const words = useWords();
  const { outcome, again } = useLoaded(load);
  if (!outcome) {
    return (
      <Frame>
        <div className={classes.late}>
          <Loading />
        </div>
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
