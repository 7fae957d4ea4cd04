import { useCallback, useEffect, useRef, useState } from 'react';

/**
 * The step of a page. Each step but the first has its own hash, so that reload, Back and Forward work. `usable` returns
 * the step to show instead if what a step needs is gone, such as a token that a reload has removed from memory.
 */
export function useStep<S extends string>(steps: readonly [S, ...S[]], usable: (step: S) => S) {
  const addressOf = (step: S) => location.pathname + location.search + (step === steps[0] ? '' : `#${step}`);
  const read = (): S => usable(steps.find((step) => step === location.hash.slice(1)) ?? steps[0]);
  const [step, setStep] = useState(read);

  const sync = () => {
    const found = read();
    if (location.pathname + location.search + location.hash !== addressOf(found)) {
      history.replaceState(history.state, '', addressOf(found));
    }
    setStep(found);
  };
  const latest = useRef(sync);
  latest.current = sync;
  useEffect(() => {
    const onMove = () => latest.current();
    onMove();
    addEventListener('popstate', onMove);
    return () => removeEventListener('popstate', onMove);
  }, []);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the steps of a page never change
  const show = useCallback((next: S, { replace = false } = {}) => {
    if (replace) history.replaceState(null, '', addressOf(next));
    else history.pushState(null, '', addressOf(next));
    setStep(next);
  }, []);
  return [step, show] as const;
}
