import { type Chunks, type Entry, MAX_RECORD } from './records.ts';
import { UnreadableFile } from './unreadable-file.ts';

/** Rows as records named by the header, as PostgreSQL and Supabase write them: RFC 4180, multi-line quotes included. */
export async function* readCsv(chunks: Chunks, required: string): AsyncGenerator<Entry> {
  let header: readonly string[] | undefined;
  for await (const { line, cells } of readRows(chunks)) {
    if (header === undefined) {
      header = cells;
      if (!header.includes(required)) {
        throw new UnreadableFile(`it is neither JSON nor CSV with the column "${required}" in its header line`);
      }
      continue;
    }
    const names = header;
    const fits = cells.length === names.length;
    const value = fits ? Object.fromEntries(names.map((name, index) => [name, cells[index]])) : undefined;
    yield { at: `line ${line}`, value };
  }
}

interface Row {
  readonly line: number;
  readonly cells: readonly string[];
}

async function* readRows(chunks: Chunks): AsyncGenerator<Row> {
  let cells: string[] = [];
  let cell = '';
  let [line, begun, length] = [1, 1, 0];
  let state: 'plain' | 'quoted' | 'after quote' = 'plain';
  let returned = false;
  for await (const text of decoded(chunks)) {
    for (const character of text) {
      if (++length > MAX_RECORD) throw new UnreadableFile(`line ${begun} is too long to be a user`);
      const second = returned && character === '\n';
      returned = state !== 'quoted' && character === '\r';
      // A line ends with CR, LF or CRLF; `second` is the LF of a CRLF.
      if (second) continue;
      const ends = character === '\n' || returned;
      if (ends) line++;
      if (state === 'quoted') {
        if (character === '"') state = 'after quote';
        else cell += character;
      } else if (character === '"') {
        if (state === 'plain' && cell !== '') throw new UnreadableFile(`line ${begun} has a quote inside of a value`);
        // Two quotes inside a quoted cell stand for one.
        if (state === 'after quote') cell += character;
        state = 'quoted';
      } else if (character === ',' || ends) {
        cells.push(cell);
        [cell, state] = ['', 'plain'];
        if (ends) {
          if (cells.length > 1 || cells[0] !== '') yield { line: begun, cells };
          [cells, begun, length] = [[], line, 0];
        }
      } else if (state === 'plain') cell += character;
      else throw new UnreadableFile(`line ${begun} has characters after a closing quote`);
    }
  }
  if (state === 'quoted') throw new UnreadableFile(`line ${begun} has a quote that is never closed`);
  cells.push(cell);
  if (cells.length > 1 || cells[0] !== '') yield { line: begun, cells };
}

async function* decoded(chunks: Chunks): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for await (const chunk of chunks) yield decoder.decode(chunk, { stream: true });
    yield decoder.decode();
  } catch (error) {
    throw error instanceof TypeError ? new UnreadableFile('it is not UTF-8') : error;
  }
}
