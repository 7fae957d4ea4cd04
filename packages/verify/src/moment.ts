/**
 * A moment by both clocks. The monotonic one (`steady`) cannot be set, but on some systems it stops while the machine
 * sleeps. The wall clock continues then, but can be set.
 */
export interface Moment {
  readonly steady: number;
  readonly wall: number;
}

export const now = (): Moment => ({ steady: performance.now(), wall: Date.now() });

/** Returns the milliseconds since then, by the clock that shows more. Setting a clock can only increase the result. */
export const age = ({ steady, wall }: Moment): number =>
  Math.max(performance.now() - steady, Math.abs(Date.now() - wall));

/** A timer that does not keep the process running. Returns a function that cancels it. */
export function later(milliseconds: number, work: () => void): () => void {
  const timer: unknown = setTimeout(work, milliseconds);
  (timer as { unref?(): void }).unref?.();
  return () => clearTimeout(timer as number);
}
