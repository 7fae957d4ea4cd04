import { readCsv } from './csv.ts';
import { readJsonList } from './json-list.ts';
import { type Chunks, type Entry, peek, readLines } from './records.ts';
import { UnreadableFile } from './unreadable-file.ts';

export const FORMATS = ['auth0', 'keycloak', 'supabase', 'firebase'] as const;
export type Format = (typeof FORMATS)[number];

export async function* entriesOf(format: Format, bytes: Chunks): AsyncGenerator<Entry> {
  const { first, chunks } = await peek(bytes);
  if (first === '') throw new UnreadableFile('it is empty');
  if (first === '[') yield* readJsonList(chunks);
  else if (format === 'keycloak' || format === 'firebase') yield* membersOf(first, chunks);
  else if (first === '{') yield* readLines(chunks);
  else if (format === 'supabase') yield* readCsv(chunks, 'email');
  else throw new UnreadableFile('it is not JSON');
}

function membersOf(first: string, chunks: Chunks): AsyncGenerator<Entry> {
  if (first !== '{') throw new UnreadableFile('it is not JSON');
  return readJsonList(chunks, 'users');
}
