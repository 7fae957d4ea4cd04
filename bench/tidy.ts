/** Cleanup functions of everything started or created; run in reverse order. */
const open = new Set<() => Promise<unknown>>();
const stop = new AbortController();

/** Aborted when the run is interrupted, for starts that take long. */
export const stopping = stop.signal;

/** Registers a cleanup, in the same tick in which the resource was created. Returns a function to run it earlier. */
export function atEnd(close: () => Promise<unknown>): () => Promise<void> {
  let closing: Promise<unknown> | undefined;
  const once = async (): Promise<void> => {
    closing ??= close();
    await closing;
    open.delete(once);
  };
  open.add(once);
  // The run was interrupted meanwhile: clean up immediately.
  if (stopping.aborted) void once().catch(() => {});
  return once;
}

/** Runs all cleanups. One that fails does not affect the others. */
export async function tidyUp(): Promise<void> {
  for (const close of [...open].reverse()) {
    await close().catch((error: Error) => console.error(`  could not clean up: ${error.message}`));
    open.delete(close);
  }
}

/** Interrupts the run: later resources are cleaned up immediately. */
export async function breakOff(): Promise<void> {
  stop.abort();
  await tidyUp();
}
