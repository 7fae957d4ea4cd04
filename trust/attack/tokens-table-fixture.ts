import { byHmac, otherAlgorithms, unsigned } from './tokens-algorithms-fixture.ts';
import { claims, wishes } from './tokens-claims-fixture.ts';
import type { Forgery, Table, Workshop } from './tokens-fixture.ts';
import { headers, keys } from './tokens-headers-fixture.ts';
import { spellings } from './tokens-spellings-fixture.ts';

const TABLES: Readonly<Record<string, Table>> = {
  'unsigned tokens': unsigned,
  'HMAC by what is public or ours': byHmac,
  'other algorithms': otherAlgorithms,
  'other keys': keys,
  'headers that are not ours': headers,
  'claims that are not ours': claims,
  'what a forger would like': wishes,
  'spellings of a genuine token': spellings,
};

export type Forgeries = Readonly<Record<string, readonly Forgery[]>>;

/** All of them, by what is wrong with them. */
export const forgeAll = (workshop: Workshop): Forgeries =>
  Object.fromEntries(Object.entries(TABLES).map(([name, table]) => [name, table(workshop)]));

export const KINDS: readonly string[] = Object.keys(TABLES);
