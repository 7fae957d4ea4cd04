import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const docs = join(import.meta.dirname, '../../../docs');

export const readDoc = (name: string): string => readFileSync(join(docs, name), 'utf8');

interface CatalogRow {
  method: string;
  path: string;
  /** Empty for discovery and operations, for which the specification has no such column. */
  auth: string;
}

/** Reads §4.1: the endpoints below the prefix, and those at the base address. */
export function readCatalog(): { prefixed: CatalogRow[]; base: CatalogRow[] } {
  const section = readDoc('spec.md').split('### 4.1 Catalog')[1]!.split('### 4.2')[0]!;
  const [api, operations] = section.split('Discovery and operations');
  const rows = (text: string) =>
    [...text.matchAll(/^\| (GET|POST|PUT|PATCH|DELETE) \| (\S+) \| ([^|]*)\|/gm)].map((match) => ({
      method: match[1]!,
      path: match[2]!,
      auth: match[3]!.trim(),
    }));
  return {
    prefixed: rows(api!),
    base: rows(operations!).map((row) => ({ ...row, auth: 'none' })),
  };
}
