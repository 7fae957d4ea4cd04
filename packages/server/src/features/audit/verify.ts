import { timingSafeEqual } from 'node:crypto';
import type { ExportKey } from '../../domain/audit/export-key.ts';
import { type Contents, readExport } from './read-export.ts';

export interface Verdict extends Pick<Contents, 'rows' | 'first' | 'last'> {
  /** The setting whose key has signed it; undefined: it is not what the service gave out. */
  readonly signedWith: string | undefined;
  /** What is wrong with it, in a sentence. */
  readonly fault: string | undefined;
}

/** The contract, section 7, `audit verify`: is this file an export as the service gave it out, to the byte? */
export async function verifyExport(chunks: AsyncIterable<Buffer>, keys: readonly ExportKey[]): Promise<Verdict> {
  const contents = await readExport(chunks, keys);
  const { rows, first, last } = contents;
  const signer = signerOf(contents, keys);
  const fault = signer === undefined ? faultOf(contents, keys) : faultOfSigned(contents);
  return { rows, first, last, signedWith: fault === undefined ? signer?.name : undefined, fault };
}

const signerOf = ({ trailer, signatures }: Contents, keys: readonly ExportKey[]): ExportKey | undefined =>
  keys.find((_, index) => trailer && timingSafeEqual(Buffer.from(trailer.signature), Buffer.from(signatures[index]!)));

/** The trailer's count is not part of what is signed. */
function faultOfSigned({ trailer, rows, descending }: Contents): string | undefined {
  if (trailer!.count !== rows) {
    return `The rows are signed, but the trailer says there are ${trailer!.count}: the trailer was changed.`;
  }
  return descending === undefined ? undefined : `The id in line ${descending} is not above the one before it.`;
}

/** A signature that does not hold tells nothing more; what else is there may tell what has happened. */
function faultOf(
  { bytes, rows, trailer, early, odd, descending, rewritten }: Contents,
  keys: readonly ExportKey[],
): string {
  const names = keys.map(({ name }) => name).join(' or ');
  if (bytes === 0) return 'The file is empty.';
  if (!trailer && early !== undefined && early < rows)
    return `The export ends with line ${early}: what comes after it was added.`;
  if (!trailer) return 'It does not end with a trailer: the file was cut off, or is not an audit export.';
  if (rewritten) return 'Its lines end with CR LF: some program has rewritten it. Fetch it again, as a binary file.';
  if (early !== undefined)
    return `There is another trailer in line ${early}: something was added, or files were joined.`;
  if (rows < trailer.count) return `${trailer.count - rows} of ${trailer.count} rows are missing: lines were removed.`;
  if (rows > trailer.count) return `Lines were added: there are ${rows - trailer.count} too many.`;
  if (odd !== undefined) return `Line ${odd} is not a row as the service writes it: it was changed.`;
  if (descending !== undefined)
    return `The id in line ${descending} is not above the one before it: rows were changed.`;
  return `The signature does not hold: a row was changed, or the file was signed with another key than that of ${names}.`;
}
