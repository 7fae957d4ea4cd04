/** There is no room, or no more: somebody else with less in line had a better claim to the place. */
export class NoRoom extends Error {}

/** Runs at most so many at once; more wait their turn, and what comes on top of that is refused. */
interface Bounded {
  /**
   * Those who wait take turns by `who`: somebody with a hundred in line does not hold up somebody with one. One alone may fill
   * half of the line; when it is full, the last of the longest part of it makes room for whoever has less. Rejects with NoRoom.
   */
  run<T>(who: string, work: () => Promise<T>): Promise<T>;
  /** Whether one that came now would be let in. */
  hasRoom(who: string): boolean;
}

interface Waiting {
  readonly begin: () => void;
  readonly giveUp: () => void;
}

export function createBounded({ atOnce, waiting }: { atOnce: number; waiting: number }): Bounded {
  // In the order of their turns: who has been served goes to the end.
  const lines = new Map<string, Waiting[]>();
  let running = 0;
  let waits = 0;

  const take = (who: string, line: Waiting[], end: 'first' | 'last'): Waiting | undefined => {
    const taken = end === 'first' ? line.shift() : line.pop();
    if (line.length === 0) lines.delete(who);
    waits--;
    return taken;
  };

  const leave = (): void => {
    const [who, line] = lines.entries().next().value ?? [];
    if (who === undefined || line === undefined) {
      running--;
      return;
    }
    lines.delete(who);
    if (line.length > 1) lines.set(who, line);
    take(who, line, 'first')?.begin();
  };

  /** Whose part of the line is longest, and longer than that of the one who comes now. */
  const longerThan = (length: number): [string, Waiting[]] | undefined => {
    const [longest] = [...lines].sort(([, left], [, right]) => right.length - left.length);
    return longest && longest[1].length > length + 1 ? longest : undefined;
  };

  const lengthOf = (who: string): number => lines.get(who)?.length ?? 0;
  const mayWait = (length: number): boolean =>
    length < Math.ceil(waiting / 2) && (waits < waiting || longerThan(length) !== undefined);

  const wait = (who: string): Promise<void> => {
    const length = lengthOf(who);
    if (!mayWait(length)) return Promise.reject(new NoRoom());
    if (waits >= waiting) take(...longerThan(length)!, 'last')?.giveUp();
    return new Promise<void>((begin, reject) => {
      const line = lines.get(who) ?? [];
      line.push({ begin, giveUp: () => reject(new NoRoom()) });
      lines.set(who, line);
      waits++;
    });
  };

  return {
    hasRoom: (who) => running < atOnce || mayWait(lengthOf(who)),
    async run(who, work) {
      if (running < atOnce) running++;
      else await wait(who);
      try {
        return await work();
      } finally {
        leave();
      }
    },
  };
}
