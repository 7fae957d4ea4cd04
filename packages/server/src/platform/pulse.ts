/** Milliseconds between two beats: many times what a look into the database takes, and less than anybody notices. */
const BEAT = 20;

let waiting: (() => void)[] = [];
let isBeating = false;

/**
 * Resolves at the next beat of a clock that beats whether or not somebody waits. What is answered at a beat tells nothing of the
 * microseconds that its work took; a delay of one's own would, since timers count in whole milliseconds from where they begin.
 */
export function nextBeat(): Promise<void> {
  if (!isBeating) setInterval(beat, BEAT).unref();
  isBeating = true;
  return new Promise((resolve) => waiting.push(resolve));
}

function beat(): void {
  const ready = waiting;
  waiting = [];
  for (const go of ready) go();
}
