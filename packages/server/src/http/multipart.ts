import type { onRequestHookHandler } from 'fastify';
import { type TSchema, type TUnsafe, Type } from 'typebox';
import { ServiceError, tooMany } from '../domain/kernel/service-error.ts';
import { sessionOf } from './caller.ts';

/** Limits for form fields other than the file. Their content is ignored. */
const MAX_PARTS = 20;
const MAX_TEXT_BYTES = 16 * 1024;
const MAX_HEADER_BYTES = 4 * 1024;
/** Allowed in addition to the size of the file, for boundaries, headers and other fields. */
const MAX_WRAPPING_BYTES = 64 * 1024;

export interface Upload {
  readonly field: string;
  readonly maxBytes: number;
}

/** The body schema of a `multipart` route: one file, whose bytes the handler gets. */
export const OneFile = <const F extends string>(field: F, file: { maxBytes: number; description: string }) =>
  Type.Object({
    [field]: Type.Unsafe<Buffer>({
      type: 'string',
      format: 'binary',
      description: file.description,
      'x-max-bytes': file.maxBytes,
    }),
  } as { [field in F]: TUnsafe<Buffer> });

export function uploadOf(body: TSchema | undefined): Upload {
  const { properties = {} } = (body ?? {}) as { properties?: Record<string, { 'x-max-bytes'?: number }> };
  const [field, file] = Object.entries(properties)[0] ?? [];
  if (field === undefined || file?.['x-max-bytes'] === undefined)
    throw new Error('a multipart body is made by OneFile');
  return { field, maxBytes: file['x-max-bytes'] };
}

export const maxBodyBytes = ({ maxBytes }: Upload): number => maxBytes + MAX_WRAPPING_BYTES;

export const tooLarge = ({ field, maxBytes }: Upload) => fault(field, `must be at most ${maxBytes} bytes`);

/** Uploads are megabytes kept in memory, so their number is limited, in total and per user. */
export function roomForUploads({ maxTotal = 24, maxPerUser = 2 } = {}): onRequestHookHandler {
  const uploadsOf = new Map<string, number>();
  let total = 0;
  return (request, reply, done) => {
    // The client disconnected while the guards ran, or pipelined another request before this one. In the first case
    // `close` was emitted already; in the second it may never be emitted. Neither would release the slot.
    if (reply.raw.closed || reply.raw.destroyed || reply.raw.socket === null) return done(tooMany(1));
    const userId = sessionOf(request)?.user_id ?? '';
    const own = uploadsOf.get(userId) ?? 0;
    if (total >= maxTotal || own >= maxPerUser) return done(tooMany(1));
    total++;
    uploadsOf.set(userId, own + 1);
    reply.raw.once('close', () => {
      total--;
      const left = uploadsOf.get(userId)! - 1;
      if (left > 0) uploadsOf.set(userId, left);
      else uploadsOf.delete(userId);
    });
    done();
  };
}

export const isMultipart = (contentType: string | undefined): boolean =>
  contentType !== undefined && /^multipart\/form-data *(;|$)/i.test(contentType);

/** Returns the file of a completely received form. */
export function parseUpload(contentType: string | undefined, bytes: Buffer, upload: Upload): Record<string, Buffer> {
  const { field, maxBytes } = upload;
  const boundary = isMultipart(contentType) ? boundaryOf(contentType!) : undefined;
  if (boundary === undefined) {
    throw fault('body', `must have the content type multipart/form-data, with a boundary and one file named ${field}`);
  }
  const parts = splitForm(bytes, boundary);
  if (!parts) throw fault('body', `must be complete multipart/form-data, with one file named ${field} and little else`);
  const named = parts.filter(({ name }) => name === field);
  if (named.length === 0) throw fault(field, 'is required');
  if (!named.every(({ isFile }) => isFile)) throw fault(field, 'must be a file');
  if (parts.filter(({ isFile }) => isFile).length > 1) throw fault(field, 'must be the only file');
  const [{ content }] = named as [Part];
  if (content.length === 0) throw fault(field, 'must not be empty');
  if (content.length > maxBytes) throw tooLarge(upload);
  return { [field]: content };
}

const fault = (field: string, message: string) => new ServiceError('invalid_input', `${field}: ${message}`);

/** RFC 2046, section 5.1.1: 1 to 70 characters of a small set, quoted or not. */
function boundaryOf(contentType: string): string | undefined {
  const [, quoted, bare] =
    /;[ \t]*boundary=(?:"([\w'()+,./:=? -]{0,69}[\w'()+,./:=?-])"|([\w'()+,./:=?-]{1,70})) *(?:;|$)/i.exec(
      contentType,
    ) ?? [];
  return quoted ?? bare;
}

interface Part {
  readonly name: string;
  readonly isFile: boolean;
  readonly content: Buffer;
}

const DASHES = Buffer.from('--');
const CRLF = Buffer.from('\r\n');
const BLANK_LINE = Buffer.from('\r\n\r\n');

/**
 * RFC 7578. Returns the parts from the first to the closing boundary; undefined if the form is malformed, incomplete or
 * too large. Our own parser, because busboy never finishes, without any event, on a part without a blank line.
 */
function splitForm(bytes: Buffer, boundary: string): Part[] | undefined {
  const delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1');
  const parts: Part[] = [];
  // The first boundary may start the body, without a line break before it.
  let at = startsWith(bytes, 0, delimiter.subarray(2)) ? -2 : bytes.indexOf(delimiter);
  while (at !== -1 && parts.length <= MAX_PARTS) {
    const end = at + delimiter.length;
    if (startsWith(bytes, end, DASHES)) return parts;
    const line = skipBlanks(bytes, end);
    if (!startsWith(bytes, line, CRLF)) return undefined;
    const headers = headersAt(bytes, line, delimiter);
    if (headers === undefined) return undefined;
    at = bytes.indexOf(delimiter, line + headers.length + CRLF.length);
    const content = bytes.subarray(line + headers.length + BLANK_LINE.length, Math.max(at, 0));
    const part = readPart(headers, content);
    if (!part) return undefined;
    parts.push(part);
  }
  return undefined;
}

const startsWith = (bytes: Buffer, at: number, wanted: Buffer): boolean =>
  bytes.subarray(at, at + wanted.length).equals(wanted);

function skipBlanks(bytes: Buffer, from: number): number {
  let at = from;
  while (bytes[at] === 0x20 || bytes[at] === 0x09) at++;
  return at;
}

/** The headers up to the blank line, which must come soon and before the next boundary. */
function headersAt(bytes: Buffer, line: number, delimiter: Buffer): string | undefined {
  const near = bytes.subarray(line, line + MAX_HEADER_BYTES);
  const end = near.indexOf(BLANK_LINE);
  const headers = near.subarray(0, Math.max(end, 0));
  return end === -1 || headers.includes(delimiter) ? undefined : headers.toString('latin1');
}

const DISPOSITION = /^content-disposition:[ \t]*form-data(.*)$/im;
// Sticky: each match starts where the last one ended, so that no input is slow to reject.
const PARAMETER = /[ \t]*;[ \t]*([\w*-]+)[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*))/gy;

function readPart(headers: string, content: Buffer): Part | undefined {
  const parameters = new Map<string, string>();
  for (const [, name, quoted, bare] of (DISPOSITION.exec(headers)?.[1] ?? '').matchAll(PARAMETER)) {
    parameters.set(name!.toLowerCase(), quoted ?? bare ?? '');
  }
  const name = parameters.get('name');
  const isFile = parameters.has('filename') || parameters.has('filename*');
  if (name === undefined || (!isFile && content.length > MAX_TEXT_BYTES)) return undefined;
  return { name, isFile, content };
}
