import { byHmac, otherAlgorithms, unsigned } from './tokens-algorithms-fixture.ts';
import { claims, wishes } from './tokens-claims-fixture.ts';
import type { Forgery, Table, Workshop } from './tokens-fixture.ts';
import { headers, keys } from './tokens-headers-fixture.ts';
import { spellings } from './tokens-spellings-fixture.ts';

const TABLES: Readonly<Record<string, Table>> = {
  'unsigned tokens': unsigned,
  'HMAC with public or internal values': byHmac,
  'other algorithms': otherAlgorithms,
  'other keys': keys,
  'headers that the service never writes': headers,
  'claims that the service never writes': claims,
  'claims that a forger would want': wishes,
  'spellings of a genuine token': spellings,
};

export type Forgeries = Readonly<Record<string, readonly Forgery[]>>;

export const forgeAll = (workshop: Workshop): Forgeries =>
  Object.fromEntries(Object.entries(TABLES).map(([name, table]) => [name, table(workshop)]));

export const KINDS: readonly string[] = Object.keys(TABLES);
