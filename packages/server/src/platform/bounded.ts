/** Runs at most so many at once; a few more wait their turn, and what comes on top of that is refused. */
export interface Bounded {
  /** Undefined, at once: there is no room even to wait. */
  run<T>(work: () => Promise<T>): Promise<T> | undefined;
}

export function createBounded({ atOnce, waiting }: { atOnce: number; waiting: number }): Bounded {
  const queue: (() => void)[] = [];
  let running = 0;
  const leave = (): void => {
    const next = queue.shift();
    if (next) next();
    else running--;
  };
  return {
    run(work) {
      if (running < atOnce) {
        running++;
        return work().finally(leave);
      }
      if (queue.length >= waiting) return undefined;
      return new Promise<void>((resolve) => queue.push(resolve)).then(work).finally(leave);
    },
  };
}
