/** Thrown if the queue is full, or if the job was evicted in favor of a key with fewer waiting jobs. */
export class NoRoom extends Error {}

/** Limits concurrency: at most `atOnce` jobs run, at most `waiting` more wait, and others are rejected. */
interface Bounded {
  /**
   * Waiting jobs are served round-robin by `key`, so many jobs of one key do not delay another. One key can fill half
   * of the queue. If the queue is full, the last job of the longest line is evicted for a key with fewer. Rejects with
   * NoRoom.
   */
  run<T>(key: string, work: () => Promise<T>): Promise<T>;
  hasRoom(key: string): boolean;
}

interface Waiting {
  readonly begin: () => void;
  readonly evict: () => void;
}

export function createBounded({ atOnce, waiting }: { atOnce: number; waiting: number }): Bounded {
  // The waiting jobs by key, in round-robin order: a key that was served moves to the end.
  const lines = new Map<string, Waiting[]>();
  let running = 0;
  let queued = 0;

  const take = (key: string, line: Waiting[], end: 'first' | 'last'): Waiting | undefined => {
    const taken = end === 'first' ? line.shift() : line.pop();
    if (line.length === 0) lines.delete(key);
    queued--;
    return taken;
  };

  const leave = (): void => {
    const [key, line] = lines.entries().next().value ?? [];
    if (key === undefined || line === undefined) {
      running--;
      return;
    }
    lines.delete(key);
    if (line.length > 1) lines.set(key, line);
    take(key, line, 'first')?.begin();
  };

  /** The longest line, if it is longer than a line of `length` would become by one more job. */
  const longerThan = (length: number): [string, Waiting[]] | undefined => {
    const [longest] = [...lines].sort(([, left], [, right]) => right.length - left.length);
    return longest && longest[1].length > length + 1 ? longest : undefined;
  };

  const lengthOf = (key: string): number => lines.get(key)?.length ?? 0;
  const mayWait = (length: number): boolean =>
    length < Math.ceil(waiting / 2) && (queued < waiting || longerThan(length) !== undefined);

  const wait = (key: string): Promise<void> => {
    const length = lengthOf(key);
    if (!mayWait(length)) return Promise.reject(new NoRoom());
    if (queued >= waiting) take(...longerThan(length)!, 'last')?.evict();
    return new Promise<void>((begin, reject) => {
      const line = lines.get(key) ?? [];
      line.push({ begin, evict: () => reject(new NoRoom()) });
      lines.set(key, line);
      queued++;
    });
  };

  return {
    hasRoom: (key) => running < atOnce || mayWait(lengthOf(key)),
    async run(key, work) {
      if (running < atOnce) running++;
      else await wait(key);
      try {
        return await work();
      } finally {
        leave();
      }
    },
  };
}
