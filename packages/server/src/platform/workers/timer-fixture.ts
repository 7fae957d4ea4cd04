import type { Timer } from './messages.ts';

export function createTestTimer(): { timer: Timer; pass(milliseconds: number): void } {
  let now = 0;
  const due = new Set<{ at: number; over: () => void }>();
  return {
    timer(milliseconds, over) {
      const entry = { at: now + milliseconds, over };
      due.add(entry);
      return () => due.delete(entry);
    },
    pass(milliseconds) {
      now += milliseconds;
      for (const entry of due) {
        if (entry.at > now) continue;
        due.delete(entry);
        entry.over();
      }
    },
  };
}
