import type { onRequestHookHandler } from 'fastify';
import { type TSchema, type TUnsafe, Type } from 'typebox';
import { ServiceError, tooMany } from '../domain/service-error.ts';
import { sessionOf } from './caller.ts';
import { whenOver } from './pipelining.ts';

/** What a form may hold beside its file. Other fields are read past, so few and small ones are enough. */
const MAX_PARTS = 20;
const MAX_TEXT = 16 * 1024;
const MAX_HEADERS = 4 * 1024;
/** For boundaries, headers and other fields, on top of the file itself. */
const MAX_WRAPPING = 64 * 1024;

/** The one file a route takes. */
export interface Upload {
  readonly field: string;
  readonly maxBytes: number;
}

/** Body of a route of the kind `multipart`: one file and nothing else that counts. The handler gets its bytes. */
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

export const maxBodyBytes = ({ maxBytes }: Upload): number => maxBytes + MAX_WRAPPING;

export const tooLarge = ({ field, maxBytes }: Upload) => fault(field, `must be at most ${maxBytes} bytes`);

/** Bodies of this kind are megabytes and are held whole, so only so many are let in at a time, and few of one person. */
export function roomForUploads({ most = 24, each = 2 } = {}): onRequestHookHandler {
  const held = new Map<string, number>();
  let all = 0;
  return (request, reply, done) => {
    // Gone while the guards were looking: its `close` has been, and would never give the place back.
    if (reply.raw.closed || reply.raw.destroyed || request.raw.socket.destroyed) return done(tooMany(1));
    const who = sessionOf(request)?.user_id ?? '';
    const own = held.get(who) ?? 0;
    if (all >= most || own >= each) return done(tooMany(1));
    all++;
    held.set(who, own + 1);
    whenOver(request.raw.socket, reply.raw, () => {
      all--;
      const left = held.get(who)! - 1;
      if (left > 0) held.set(who, left);
      else held.delete(who);
    });
    done();
  };
}

export const isMultipart = (contentType: string | undefined): boolean =>
  contentType !== undefined && /^multipart\/form-data *(;|$)/i.test(contentType);

/** The file of a form that has arrived whole. */
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
 * RFC 7578. The parts from the first boundary to the closing one; undefined when anything is out of order, missing or too
 * much. Written here because busboy never ends, in no way that can be heard, on a part without a blank line.
 */
function splitForm(bytes: Buffer, boundary: string): Part[] | undefined {
  const delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1');
  const parts: Part[] = [];
  // The first boundary may open the body, and then has no line break before it.
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

/** From the end of the boundary's line to the blank line, which must come soon and before the next boundary. */
function headersAt(bytes: Buffer, line: number, delimiter: Buffer): string | undefined {
  const near = bytes.subarray(line, line + MAX_HEADERS);
  const end = near.indexOf(BLANK_LINE);
  const headers = near.subarray(0, Math.max(end, 0));
  return end === -1 || headers.includes(delimiter) ? undefined : headers.toString('latin1');
}

const DISPOSITION = /^content-disposition:[ \t]*form-data(.*)$/im;
// Sticky: every parameter begins where the last one ended, so that no text takes long to refuse.
const PARAMETER = /[ \t]*;[ \t]*([\w*-]+)[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*))/gy;

function readPart(headers: string, content: Buffer): Part | undefined {
  const parameters = new Map<string, string>();
  for (const [, name, quoted, bare] of (DISPOSITION.exec(headers)?.[1] ?? '').matchAll(PARAMETER)) {
    parameters.set(name!.toLowerCase(), quoted ?? bare ?? '');
  }
  const name = parameters.get('name');
  const isFile = parameters.has('filename') || parameters.has('filename*');
  if (name === undefined || (!isFile && content.length > MAX_TEXT)) return undefined;
  return { name, isFile, content };
}
