import { type Chunks, type Entry, MAX_RECORD, parseBytes } from './records.ts';
import { UnreadableFile } from './unreadable-file.ts';

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const OPEN = new Set([0x7b, 0x5b]);
const CLOSE = new Set([0x7d, 0x5d]);
const [LIST, LIST_END, OBJECT_END] = [0x5b, 0x5d, 0x7d];
const isSpace = (byte: number): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

/**
 * Yields the elements of a list in a JSON file of any size. The list is the whole file, or the member `name` of its
 * object; with `optional`, that member may be missing. Only finds where each element ends; each is parsed separately.
 */
export async function* readJsonList(chunks: Chunks, name?: string, { optional = false } = {}): AsyncGenerator<Entry> {
  /** The nesting depth of the list's elements. */
  const target = name === undefined ? 1 : 2;
  const state = { depth: 0, inString: false, escaped: false, inList: false, found: false, closed: false };
  let index = 0;
  /** Bytes of the current element, or of a key at the top level. */
  let parts: Buffer[] = [];
  let length = 0;
  let from = -1;
  let key = '';
  const label = name ?? 'element';
  const finish = (chunk: Buffer, end: number): Buffer => {
    const bytes = Buffer.concat([...parts, chunk.subarray(from, end)]);
    [parts, length, from] = [[], 0, -1];
    return bytes;
  };
  const entryOf = (bytes: Buffer): Entry => ({ at: `${label}[${index++}]`, value: parseBytes(bytes) });

  for await (const chunk of chunks) {
    if (from >= 0) from = 0;
    for (let position = 0; position < chunk.length; position++) {
      const byte = chunk[position]!;
      if (state.inString) {
        if (state.escaped) state.escaped = false;
        else if (byte === BACKSLASH) state.escaped = true;
        else if (byte === QUOTE) {
          state.inString = false;
          if (state.depth === 1 && !state.inList && from >= 0) key = `${parseBytes(finish(chunk, position + 1))}`;
        }
        continue;
      }
      if (state.closed && !isSpace(byte)) {
        // After a list inside an object, the object continues or ends; after a top-level list, the file must end.
        const mayFollow = state.depth > 0 && (byte === COMMA || byte === OBJECT_END);
        if (!mayFollow) throw new UnreadableFile('there is data after the end of its list or of the document');
        state.closed = false;
      }
      const inElement = state.inList && from >= 0;
      if (state.inList && state.depth === target && (byte === COMMA || CLOSE.has(byte))) {
        if (inElement) yield entryOf(finish(chunk, position));
        if (byte === COMMA) continue;
        if (byte !== LIST_END) throw new UnreadableFile('its list ends with the wrong bracket');
        state.inList = false;
        state.closed = true;
      }
      if (state.inList && from < 0 && !isSpace(byte)) from = position;
      if (byte === QUOTE) {
        state.inString = true;
        if (state.depth === 1 && !state.inList && name !== undefined) from = position;
      } else if (OPEN.has(byte)) {
        state.depth++;
        const here = byte === LIST && state.depth === target && (name === undefined || key === name);
        if (here && !state.inList) [state.inList, state.found] = [true, true];
      } else if (CLOSE.has(byte) && --state.depth === 0) state.closed = true;
    }
    if (from >= 0) {
      parts.push(chunk.subarray(from));
      length += chunk.length - from;
      if (length > MAX_RECORD) throw new UnreadableFile(`${label}[${index}] is too long to be a user`);
    }
  }
  if (state.inString || state.depth !== 0) throw new UnreadableFile('it is incomplete, or not JSON');
  if (!state.found && !optional) {
    throw new UnreadableFile(`it contains no list${name === undefined ? '' : ` named "${name}"`}`);
  }
}
