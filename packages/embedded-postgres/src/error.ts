/** The message states the fault and the remedy; the command line prints it. */
export class EmbeddedError extends Error {
  override name = 'EmbeddedError';
}

export function errorCode(error: unknown): string | undefined {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  return typeof code === 'string' ? code : undefined;
}

export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
