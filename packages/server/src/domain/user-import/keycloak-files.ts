import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { entriesOf } from './formats.ts';
import { readJsonList } from './json-list.ts';
import { type Aliases, aliasOf } from './keycloak.ts';
import { openFile } from './open-file.ts';
import { type Entry, peek } from './records.ts';
import { UnreadableFile } from './unreadable-file.ts';

const PART = /^(.+)-(?:realm|users-\d+)\.json(?:\.gz)?$/;
const REALM = /-realm\.json(?:\.gz)?$/;
const FEDERATED = '-federated';
/** The list of the users of a federated directory, with the data that Keycloak has added. */
const FEDERATED_LIST = 'federatedUsers';

interface Part {
  readonly file: string;
  readonly content: 'realm' | 'users' | 'federated users' | 'everything';
}

/** The files of a realm: one file, or the folder of `kc.sh export --dir` with one file per fifty users. */
export async function keycloakFiles(path: string): Promise<Part[]> {
  if (!(await stat(path)).isDirectory()) return [{ file: path, content: 'everything' }];
  const names = (await readdir(path)).filter((name) => PART.test(name));
  const named = new Set(names.filter((name) => REALM.test(name)).map(stemOf));
  // The name of a realm may itself end with the suffix `FEDERATED`; then there is a realm file with this name.
  const isFederated = (name: string): boolean => stemOf(name).endsWith(FEDERATED) && !named.has(stemOf(name));
  const realms = new Set(
    names.map((name) => (isFederated(name) ? stemOf(name).slice(0, -FEDERATED.length) : stemOf(name))),
  );
  if (realms.size === 0) throw new UnreadableFile('that folder contains no Keycloak export');
  if (realms.size > 1) {
    throw new UnreadableFile(`it contains ${realms.size} realms: put the files of each realm into a separate folder`);
  }
  const order = new Intl.Collator('en', { numeric: true });
  return names.sort(order.compare).map((name) => ({
    file: join(path, name),
    content: REALM.test(name) ? 'realm' : isFederated(name) ? 'federated users' : 'users',
  }));
}

const stemOf = (name: string): string => PART.exec(name)![1]!;

export async function readAliases(parts: readonly Part[]): Promise<Aliases> {
  for (const { file, content } of parts) {
    const aliases = new Map<string, string>();
    for await (const { value } of optionalList(file, 'identityProviders')) aliases.set(...aliasOf(value));
    if (aliases.size > 0 || content === 'realm' || REALM.test(file)) return aliases;
  }
  return undefined;
}

export async function* keycloakEntries(
  parts: readonly Part[],
  onBytes: (count: number) => void = () => {},
): AsyncGenerator<Entry> {
  for (const part of parts) {
    for await (const entry of entriesIn(part, onBytes)) {
      yield parts.length === 1 ? entry : { ...entry, at: `${basename(part.file)} ${entry.at}` };
    }
  }
}

async function* entriesIn({ file, content }: Part, onBytes: (count: number) => void): AsyncGenerator<Entry> {
  if (content === 'federated users') {
    yield* unwanted(readJsonList((await peek(openFile(file, onBytes))).chunks, FEDERATED_LIST));
    return;
  }
  const mayLack = content === 'realm';
  yield* mayLack ? optionalList(file, 'users', onBytes) : entriesOf('keycloak', openFile(file, onBytes));
  if (content !== 'users') yield* unwanted(optionalList(file, FEDERATED_LIST));
}

/** Marks federated users as skipped: their profiles and credentials are in the directory, not in the file. */
async function* unwanted(entries: AsyncIterable<Entry>): AsyncGenerator<Entry> {
  for await (const entry of entries) yield { ...entry, unwanted: 'federated_user' };
}

async function* optionalList(file: string, name: string, onBytes?: (count: number) => void): AsyncGenerator<Entry> {
  const { first, chunks } = await peek(openFile(file, onBytes));
  if (first === '{') yield* readJsonList(chunks, name, { optional: true });
}
