import { timingSafeEqual } from 'node:crypto';
import type { ExportKey } from '../../domain/audit/export-key.ts';
import { type Contents, readExport } from './read-export.ts';

export interface Verdict extends Pick<Contents, 'rows' | 'first' | 'last'> {
  /** Name of the setting whose key signed the file. Undefined if the file is not an unchanged export. */
  readonly signedWith: string | undefined;
  readonly fault: string | undefined;
}

/**
 * docs/reference/operations.md#audit-trail: for `audit verify`, whether the file is byte for byte an export of this
 * service.
 */
export async function verifyExport(chunks: AsyncIterable<Buffer>, keys: readonly ExportKey[]): Promise<Verdict> {
  const contents = await readExport(chunks, keys);
  const { rows, first, last } = contents;
  const signer = signerOf(contents, keys);
  const fault = signer === undefined ? faultOf(contents, keys) : faultOfSigned(contents);
  return { rows, first, last, signedWith: fault === undefined ? signer?.name : undefined, fault };
}

const signerOf = ({ trailer, signatures }: Contents, keys: readonly ExportKey[]): ExportKey | undefined =>
  keys.find((_, index) => trailer && timingSafeEqual(Buffer.from(trailer.signature), Buffer.from(signatures[index]!)));

/** The count in the trailer is not signed, so it is compared with the number of rows. */
function faultOfSigned({ trailer, rows, descending }: Contents): string | undefined {
  if (trailer!.count !== rows) {
    return `The signature of the rows is valid, but the trailer counts ${trailer!.count}: the trailer was changed.`;
  }
  return descending === undefined ? undefined : `The id in line ${descending} is not greater than the previous one.`;
}

/** An invalid signature does not say what was changed; the structure of the file may. */
function faultOf(
  { bytes, rows, trailer, earlyTrailer, malformed, descending, rewritten }: Contents,
  keys: readonly ExportKey[],
): string {
  const names = keys.map(({ name }) => name).join(' or ');
  if (bytes === 0) return 'The file is empty.';
  if (!trailer && earlyTrailer !== undefined && earlyTrailer < rows)
    return `The export ends with line ${earlyTrailer}: the lines after it were added.`;
  if (!trailer) return 'The file does not end with a trailer: it is incomplete, or is not an audit export.';
  if (rewritten)
    return 'The lines end with CR LF: a program has rewritten the file. Download it again, as a binary file.';
  if (earlyTrailer !== undefined)
    return `There is another trailer in line ${earlyTrailer}: lines were added, or files were joined.`;
  if (rows < trailer.count) return `${trailer.count - rows} of ${trailer.count} rows are missing: lines were removed.`;
  if (rows > trailer.count) return `Lines were added: there are ${rows - trailer.count} too many.`;
  if (malformed !== undefined) return `Line ${malformed} does not have the format of a row: it was changed.`;
  if (descending !== undefined)
    return `The id in line ${descending} is not greater than the previous one: rows were changed.`;
  return `The signature is invalid: a row was changed, or the file was signed with another key than ${names}.`;
}
