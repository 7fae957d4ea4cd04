/** What has been started or made, and must not be left behind: the last one first. */
const open = new Set<() => Promise<unknown>>();
const stop = new AbortController();

/** Aborts when the run is broken off, for starts that take a while. */
export const stopping = stop.signal;

/** Hands over how to end something, in the same breath in which it was begun. Returns the same, for whoever is done with it earlier. */
export function atEnd(close: () => Promise<unknown>): () => Promise<void> {
  let closing: Promise<unknown> | undefined;
  const once = async (): Promise<void> => {
    closing ??= close();
    await closing;
    open.delete(once);
  };
  open.add(once);
  // Whoever was about to start it learns that nothing is started any more.
  if (stopping.aborted) void once().catch(() => {});
  return once;
}

/** Ends all that is open. One that cannot be ended does not keep the others. */
export async function tidyUp(): Promise<void> {
  for (const close of [...open].reverse()) {
    await close().catch((error: Error) => console.error(`  could not clean up: ${error.message}`));
    open.delete(close);
  }
}

/** The same for good: what begins from now on is ended at once. */
export async function breakOff(): Promise<void> {
  stop.abort();
  await tidyUp();
}
