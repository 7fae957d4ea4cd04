/**
 * A moment by both clocks. The steady one is not set by anybody, but on some systems it stands still while the machine
 * sleeps; the other one shows that the machine slept, but can be set.
 */
export interface Moment {
  readonly steady: number;
  readonly wall: number;
}

export const now = (): Moment => ({ steady: performance.now(), wall: Date.now() });

/** Milliseconds since then, by the clock that saw more of them. A clock that was set makes it too old, never too young. */
export const age = ({ steady, wall }: Moment): number =>
  Math.max(performance.now() - steady, Math.abs(Date.now() - wall));

/** Calls once, later, unless it is called off. A process with nothing else to do ends without waiting for it. */
export function later(milliseconds: number, work: () => void): () => void {
  const timer: unknown = setTimeout(work, milliseconds);
  (timer as { unref?(): void }).unref?.();
  return () => clearTimeout(timer as number);
}
