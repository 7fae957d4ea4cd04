import {
  ACCESS_TABLE,
  type AccessRow,
  CALLERS,
  type CallerKind,
  needsSession,
  OPTIONAL_SESSION,
  outcomeOf,
} from '../../packages/server/test/access-table.ts';
import { type Outcome, type Stage, walkAs } from '../../packages/server/test/access-walk.ts';
import { cases, type Ledger } from '../ledger.ts';
import type { Tenants } from './tenancy-fixture.ts';

const nameOf = ({ method, path, body }: AccessRow): string => [method, path, body].filter(Boolean).join(' ');
const SIGNED_IN = CALLERS.slice(2);

const takesSession = (row: AccessRow): boolean => needsSession(row) || OPTIONAL_SESSION.has(row.route);

const withoutCsrf = (row: AccessRow, kind: CallerKind): string => {
  const isWrite = row.method !== 'GET' && takesSession(row) && SIGNED_IN.includes(kind);
  return isWrite ? '403 csrf_failed' : expectedOf(row, kind);
};
const expectedOf = (row: AccessRow, kind: CallerKind): string => outcomeOf(row.cells[CALLERS.indexOf(kind)]!);

export function tryTable(current: () => Tenants): void {
  interface Walk {
    readonly kinds?: readonly CallerKind[];
    readonly manner?: (stage: Stage) => Parameters<typeof walkAs>[4];
    readonly expected?: (row: AccessRow, kind: CallerKind) => string;
  }
  const walk = async (
    ledger: Ledger,
    rows: readonly AccessRow[],
    { kinds = CALLERS, manner, expected = expectedOf }: Walk,
  ) => {
    const { replicas, localApp, routes } = current();
    let stage = await current().stage();
    let asked = 0;
    for (const row of rows) {
      const outcomes: Outcome[] = [];
      for (const kind of kinds) {
        await ledger.attempt(`${nameOf(row)} as ${kind}`, async () => {
          const route = routes.get(row.route)!;
          const how = { ...manner?.(stage), url: replicas.either(asked++) };
          const outcome = await walkAs(localApp, stage, { row, route }, kind, how);
          outcomes.push(outcome);
          return outcome.outcome === expected(row, kind) ? undefined : `${outcome.outcome} ${outcome.text}`;
        });
      }
      // Creates new callers after a change, because it may have affected the permissions of the current ones.
      if (takesSession(row) && outcomes.some(({ changed }) => changed)) stage = await current().stage();
    }
  };
  cases('every row of the access table gives the expected status', (ledger) => walk(ledger, ACCESS_TABLE, {}));

  cases('writes with cookies but without the CSRF header fail with csrf_failed', (ledger) =>
    walk(ledger, ACCESS_TABLE, {
      manner: () => ({ by: 'cookie without CSRF' }),
      expected: withoutCsrf,
    }),
  );

  cases('another organization in the path is 403', (ledger) =>
    walk(
      ledger,
      ACCESS_TABLE.filter(({ path }) => path.includes(':org_id')),
      {
        kinds: SIGNED_IN,
        manner: ({ elsewhere }) => ({ org_id: elsewhere }),
        expected: () => '403 forbidden',
      },
    ),
  );
}
