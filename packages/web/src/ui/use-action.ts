import { createContext, useCallback, useContext, useEffect, useRef, useState } from 'react';

/** Runs `work`; if the service requires step-up, runs it again afterwards. Outside the app, only runs it once. */
export type RunWithStepUp = <T>(work: () => Promise<T>) => Promise<T>;

export const StepUpContext = createContext<RunWithStepUp>((work) => work());

/** The user has closed the step-up dialog: nothing was changed, and no error is shown. */
export class StepUpCancelled extends Error {}

/** Runs at most once at a time; its error is kept for `ErrorNote`. `run` resolves with false if the action failed. */
export function useAction<A extends unknown[]>(work: (...args: A) => Promise<unknown>) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(undefined);
  const runWithStepUp = useContext(StepUpContext);
  const latest = useRef(work);
  latest.current = work;
  const underWay = useRef(false);
  const alive = useRef(true);
  useEffect(() => {
    alive.current = true;
    return () => {
      alive.current = false;
    };
  }, []);

  const run = useCallback(
    async (...args: A): Promise<boolean> => {
      if (underWay.current) return false;
      underWay.current = true;
      // The work as of the start of the action, even if the page has changed during the step-up.
      const chosen = latest.current;
      setBusy(true);
      setError(undefined);
      try {
        await runWithStepUp(() => chosen(...args));
        return true;
      } catch (failure) {
        if (alive.current && !(failure instanceof StepUpCancelled)) setError(failure);
        return false;
      } finally {
        underWay.current = false;
        if (alive.current) setBusy(false);
      }
    },
    [runWithStepUp],
  );
  return { run, busy, error, clear: () => setError(undefined) };
}
