import { createContext, useCallback, useContext, useEffect, useRef, useState } from 'react';

/** Runs work that may ask for a further proof of who is there, and goes on after it was given. Outside the app it just runs. */
export type Prove = <T>(work: () => Promise<T>, needs: Proof) => Promise<T>;

/** `second-factor`: a code of theirs. `fresh-sign-in`: that too or, without one, the sign-in once more. */
export type Proof = 'second-factor' | 'fresh-sign-in';

export const ProveContext = createContext<Prove>((work) => work());

/** Somebody has closed the question for a proof: nothing was done, and that is no error. */
export class GaveUp extends Error {}

interface Options {
  readonly needs?: Proof;
}

/**
 * Something a person sets off: under way at most once, its failure kept to be shown (by `ErrorNote`). `run` resolves with false when it
 * failed, so that what follows can be left out.
 */
export function useAction<A extends unknown[]>(
  work: (...args: A) => Promise<unknown>,
  { needs = 'second-factor' }: Options = {},
) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(undefined);
  const prove = useContext(ProveContext);
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
      // As it was set off, whatever the page shows by the time a proof was given.
      const chosen = latest.current;
      setBusy(true);
      setError(undefined);
      try {
        await prove(() => chosen(...args), needs);
        return true;
      } catch (failure) {
        if (alive.current && !(failure instanceof GaveUp)) setError(failure);
        return false;
      } finally {
        underWay.current = false;
        if (alive.current) setBusy(false);
      }
    },
    [prove, needs],
  );
  return { run, busy, error, clear: () => setError(undefined) };
}
