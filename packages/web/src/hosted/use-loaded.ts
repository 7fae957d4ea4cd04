import { useCallback, useEffect, useState } from 'react';

type Outcome<T> = { readonly value: T } | { readonly error: unknown };

/** Something a page cannot do without. `load` stays the same function as long as it loads the same. */
export function useLoaded<T>(load: () => Promise<T>) {
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
