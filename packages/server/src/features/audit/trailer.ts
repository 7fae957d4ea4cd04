/** Last line of an export: signature and number of the lines before it. */
export interface Trailer {
  /** `sha256=` and the HMAC of all lines before this one, including their line feeds. */
  readonly signature: string;
  readonly count: number;
}

export const writeTrailer = ({ signature, count }: Trailer): string =>
  `${JSON.stringify({ _signature: signature, _count: count })}\n`;

export function readTrailer(line: string): Trailer | undefined {
  try {
    const { _signature: signature, _count: count } = JSON.parse(line);
    return /^sha256=[0-9a-f]{64}$/.test(signature) && Number.isSafeInteger(count) ? { signature, count } : undefined;
  } catch {
    return undefined;
  }
}
