const MAX_LENGTH = 100;

/** Returns a value of a token or a response for an error message: as JSON, and shortened. */
export function quoted(value: unknown): string {
  const text = JSON.stringify(value) ?? 'missing';
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text;
}
