import { Resolver } from 'node:dns/promises';
import { createBounded } from '../bounded.ts';

export interface TxtLookup {
  /**
   * The TXT records of the name, each joined from its strings. An empty list: DNS answered that there are none.
   * Undefined: no usable answer in time, so the records are unknown. Waiting look-ups are served round-robin by `key`;
   * rejects with `NoRoom` if too many wait.
   */
  find(key: string, name: string): Promise<readonly string[] | undefined>;
}

/** The timeout of one query to one server. */
const QUERY_TIMEOUT_MS = 2_000;
const TIMEOUT_MS = 5_000;
const AT_ONCE = 16;
const WAITING = 200;

/** With these errors DNS has answered that the name or record does not exist. After any other error this is unknown. */
const NO_RECORD: ReadonlySet<string | undefined> = new Set(['ENODATA', 'ENOTFOUND']);

/** Without `servers`, those of the system are used. Answers need no size limit: DNS limits them to 64 KiB. */
export function createTxtLookup(servers?: readonly string[], timeoutMs = TIMEOUT_MS): TxtLookup {
  const slots = createBounded({ atOnce: AT_ONCE, waiting: WAITING });
  return { find: (key, name) => slots.run(key, () => lookUp(name, { servers, timeoutMs })) };
}

interface Limits {
  readonly servers: readonly string[] | undefined;
  readonly timeoutMs: number;
}

async function lookUp(name: string, { servers, timeoutMs }: Limits): Promise<string[] | undefined> {
  const resolver = new Resolver({ timeout: QUERY_TIMEOUT_MS, tries: 2 });
  if (servers) resolver.setServers(servers);
  const timer = setTimeout(() => resolver.cancel(), timeoutMs);
  try {
    return (await resolver.resolveTxt(name)).map((strings) => strings.join(''));
  } catch (error) {
    return NO_RECORD.has((error as NodeJS.ErrnoException).code) ? [] : undefined;
  } finally {
    clearTimeout(timer);
  }
}
