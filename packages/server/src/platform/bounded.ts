/** Runs at most so many at once; more wait their turn, and what comes on top of that is refused. */
export interface Bounded {
  /**
   * Those who wait take turns by `who`: somebody with a hundred in line does not hold up somebody with one, nor may one alone
   * fill more than half of it. Undefined, at once: there is no room even to wait.
   */
  run<T>(who: string, work: () => Promise<T>): Promise<T> | undefined;
}

export function createBounded({ atOnce, waiting }: { atOnce: number; waiting: number }): Bounded {
  // In the order of their turns: who has been served goes to the end.
  const lines = new Map<string, (() => void)[]>();
  let running = 0;
  let waits = 0;

  const next = (): (() => void) | undefined => {
    const [who, line] = lines.entries().next().value ?? [];
    if (who === undefined || line === undefined) return undefined;
    lines.delete(who);
    const first = line.shift();
    if (line.length > 0) lines.set(who, line);
    waits--;
    return first;
  };

  const leave = (): void => {
    const begin = next();
    if (begin) begin();
    else running--;
  };

  return {
    run(who, work) {
      if (running < atOnce) {
        running++;
        return work().finally(leave);
      }
      const line = lines.get(who) ?? [];
      if (waits >= waiting || line.length >= Math.ceil(waiting / 2)) return undefined;
      waits++;
      lines.set(who, line);
      return new Promise<void>((resolve) => line.push(resolve)).then(work).finally(leave);
    },
  };
}
