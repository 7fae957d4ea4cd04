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

/** The files of a realm: one, or the folder that `kc.sh export --dir` has filled with one for every fifty users. */
export async function keycloakFiles(path: string): Promise<string[]> {
  if (!(await stat(path)).isDirectory()) return [path];
  const names = (await readdir(path)).filter((name) => PART.test(name));
  const realms = new Set(names.map((name) => PART.exec(name)![1]));
  if (realms.size === 0) throw new UnreadableFile('there is no export of Keycloak in that folder');
  if (realms.size > 1) {
    throw new UnreadableFile(`it holds ${realms.size} realms: put the files of each into a folder of its own`);
  }
  const order = new Intl.Collator('en', { numeric: true });
  return names.sort(order.compare).map((name) => join(path, name));
}

/** What the identity providers of the realm are. Undefined: the file with them is not among these. */
export async function readAliases(files: readonly string[]): Promise<Aliases> {
  for (const file of files) {
    const aliases = new Map<string, string>();
    for await (const { value } of optionalList(file, 'identityProviders')) aliases.set(...aliasOf(value));
    if (aliases.size > 0 || REALM.test(file)) return aliases;
  }
  return undefined;
}

/** The users in all of them. In a folder, the realm's own file has none, as a rule. */
export async function* keycloakEntries(
  files: readonly string[],
  onBytes: (count: number) => void = () => {},
): AsyncGenerator<Entry> {
  for (const file of files) {
    const mayLack = files.length > 1 && REALM.test(file);
    const entries = mayLack ? optionalList(file, 'users', onBytes) : entriesOf('keycloak', openFile(file, onBytes));
    for await (const entry of entries) {
      yield files.length === 1 ? entry : { ...entry, at: `${basename(file)} ${entry.at}` };
    }
  }
}

async function* optionalList(file: string, name: string, onBytes?: (count: number) => void): AsyncGenerator<Entry> {
  const { first, chunks } = await peek(openFile(file, onBytes));
  if (first === '{') yield* readJsonList(chunks, name, { optional: true });
}
