/** A response that is kept because `read` is set. */
export interface Answer {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

interface Reader {
  /** Returns the status when the response is complete, else 0. The caller may reuse `data` afterwards. */
  feed(data: Buffer): number;
  /** Returns the last complete response, if responses are kept. */
  last(): Answer;
}

const NOTHING = Buffer.alloc(0);
const HEAD_END = Buffer.from('\r\n\r\n');
const LINE_END = Buffer.from('\r\n');
const LENGTH = [Buffer.from('\r\ncontent-length: '), Buffer.from('\r\nContent-Length: ')];
const CHUNKED = /\r\ntransfer-encoding: *chunked/i;

type Phase = 'head' | 'counted' | 'chunked' | 'complete';

/** Reads successive responses of a connection without pipelining, parsing as little as possible. */
export function createReader(keep: boolean): Reader {
  let phase: Phase = 'head';
  /** Bytes that are kept until more arrive: a partial head, chunks, or all of a response that is kept. */
  let buffered = NOTHING;
  let status = 0;
  let headEnd = 0;
  /** Bytes of the body not received yet. */
  let missing = 0;
  let chunkAt = 0;

  const complete = (): number => {
    phase = 'complete';
    return status;
  };
  const count = (bytes: number): number => {
    missing -= bytes;
    return missing > 0 ? 0 : complete();
  };
  const readHead = (data: Buffer): Phase => {
    const end = data.indexOf(HEAD_END);
    if (end < 0) return 'head';
    status = (data[9]! - 48) * 100 + (data[10]! - 48) * 10 + (data[11]! - 48);
    headEnd = end + 4;
    chunkAt = headEnd;
    const length = contentLength(data, end);
    // A response with neither a length nor chunks has no body, such as a 204.
    missing = headEnd + (length ?? 0);
    return length === undefined && CHUNKED.test(data.toString('latin1', 0, headEnd)) ? 'chunked' : 'counted';
  };
  const walkChunks = (data: Buffer): number => {
    for (;;) {
      const lineEnd = data.indexOf(LINE_END, chunkAt);
      if (lineEnd < 0) return 0;
      const size = Number.parseInt(data.toString('latin1', chunkAt, lineEnd), 16);
      const next = lineEnd + 2 + size + 2;
      if (data.length < next) return 0;
      if (size === 0) return complete();
      chunkAt = next;
    }
  };
  return {
    feed(data) {
      if (phase === 'complete') {
        phase = 'head';
        buffered = NOTHING;
      }
      if (phase === 'counted') {
        if (keep) buffered = Buffer.concat([buffered, data]);
        return count(data.length);
      }
      const all = buffered.length > 0 ? Buffer.concat([buffered, data]) : data;
      if (phase === 'head') phase = readHead(all);
      buffered = keep || phase !== 'counted' ? Buffer.from(all) : NOTHING;
      if (phase === 'head') return 0;
      return phase === 'chunked' ? walkChunks(all) : count(all.length);
    },
    last: () => ({ status, head: buffered.toString('latin1', 0, headEnd), body: buffered.toString('utf8', headEnd) }),
  };
}

/** Looks for the header name only in the spellings of Node and Fastify. */
function contentLength(data: Buffer, end: number): number | undefined {
  for (const name of LENGTH) {
    const at = data.indexOf(name);
    if (at < 0 || at > end) continue;
    let length = 0;
    for (let index = at + name.length; index < end + 2 && data[index]! >= 48; index++) {
      length = length * 10 + data[index]! - 48;
    }
    return length;
  }
  return undefined;
}
