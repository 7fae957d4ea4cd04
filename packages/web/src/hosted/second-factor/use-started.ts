import { useCallback, useEffect, useRef, useState } from 'react';

/** Runs `start` once when the component is shown, and again on request. `start` must always be the same function. */
export function useStarted<T>(start: () => Promise<T>) {
  const [outcome, setOutcome] = useState<{ value?: T; error?: unknown }>({});
  const isStarted = useRef(false);
  const again = useCallback(() => {
    setOutcome({});
    start().then(
      (value) => setOutcome({ value }),
      (error: unknown) => setOutcome({ error }),
    );
  }, [start]);
  useEffect(() => {
    if (isStarted.current) return;
    isStarted.current = true;
    again();
  }, [again]);
  return { ...outcome, again };
}
