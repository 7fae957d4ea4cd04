import type { Forecast, HeldLock, Lock, LockHolder } from '@gatehouse/migrate';
import pc from 'picocolors';
import { cliCommand } from './cli-command.ts';

/** Bytes per second on a busy small machine and on an idle fast one. */
const READ_RATE = { slow: 10e6, quick: 200e6 };
/** Bytes per second. Slower than reading: each row is added to every index, and the search index is slow. */
const WRITE_RATE = { slow: 1e6, quick: 40e6 };
/** Seconds on the slow machine below which a lock is unnoticeable. */
const MOMENT_SECONDS = 0.25;
const WIDTH = 110;

export function describeForecasts(
  forecasts: readonly Forecast[],
  holders: readonly LockHolder[],
  empty: boolean,
): string[] {
  if (forecasts.length === 0) return ['The schema is up to date.'];
  if (empty) {
    const lines = forecasts.map(({ migration }) => titleOf(migration));
    return [...lines, 'The database is empty: no client is affected.'];
  }
  const long = forecasts.some(({ locks }) => locks.some((lock) => secondsOf(lock, 'slow') > MOMENT_SECONDS));
  return [
    ...forecasts.flatMap(describeForecast),
    ...holders.map(describeLockHolder),
    'A lock is held from its statement to the end of its migration. A migration waits 2 seconds for a lock, then lets waiting',
    'statements run and tries again. "A moment" is a change of the catalog: it takes milliseconds, regardless of the table size.',
    ...(long
      ? [
          'Other durations are estimated from the size of the table and its indexes: 10 to 200 MB per second for reads, 1 to 40 for',
          `writes. To measure the actual duration, run \`${cliCommand('migrate')}\` on a copy of the database.`,
        ]
      : []),
    '',
  ];
}

const titleOf = ({ version, name }: Forecast['migration']): string => `${pc.yellow('pending')}  ${version} ${name}`;

function describeForecast({ migration, steps, locks, beside }: Forecast): string[] {
  const { contracts } = migration;
  const side = beside
    ? contracts
      ? `The previous version can run on it, if it is ${contracts.since} or later. Removes: ${contracts.what}`
      : 'The previous version can run on it.'
    : `${pc.yellow('!')} Stop every replica of the previous version first: it cannot run on this schema.`;
  return [
    titleOf(migration),
    ...steps.map(({ text, unreadable }) => `  ${unreadable ? `${pc.yellow('?')} ` : ''}${shorten(text)}`),
    ...(steps.some(({ unreadable }) => unreadable) ? ['  ? Its locks and their duration are unknown.'] : []),
    ...describeLocks(locks).map((line) => `    ${line}`),
    `  ${side}`,
    '',
  ];
}

function describeLocks(locks: readonly HeldLock[]): string[] {
  if (locks.length === 0) return ['No lock on an existing table.'];
  const rows = locks.map((held) => [
    held.table,
    held.lock,
    MEANING[held.lock],
    `${held.rows.toLocaleString('en')} rows`,
    inBytes(held.bytes),
    inTime(held),
  ]);
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows.map((row) =>
    row
      .map((cell, column) =>
        column === 3 || column === 4 ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!),
      )
      .join('  ')
      .trimEnd(),
  );
}

const MEANING: Readonly<Record<Lock, string>> = {
  'ACCESS SHARE': 'reads and writes continue',
  'ROW SHARE': 'changes of the same rows wait',
  'ROW EXCLUSIVE': 'changes of the same rows wait',
  'SHARE UPDATE EXCLUSIVE': 'reads and writes continue',
  SHARE: 'writes wait',
  'SHARE ROW EXCLUSIVE': 'writes wait',
  EXCLUSIVE: 'writes wait',
  'ACCESS EXCLUSIVE': 'reads and writes wait',
};

const describeLockHolder = ({ table, program, pid, seconds }: LockHolder): string =>
  `${pc.yellow('!')} ${program} (process ${pid}) has locked ${table} in a transaction for ${seconds} s: the migration must wait for it.`;

/** Leaves out function bodies and column lists, which say nothing about locks. */
function shorten(text: string): string {
  const line = text
    .replace(/^(create table \w+) ?\(.*$/is, '$1 (…)')
    .replace(/^(create function \w+).*$/is, '$1 …')
    .replace(/\s+/g, ' ');
  return line.length > WIDTH ? `${line.slice(0, WIDTH - 1)}…` : line;
}

function inBytes(bytes: number): string {
  const units = ['kB', 'MB', 'GB', 'TB'];
  let value = bytes / 1000;
  let unit = 0;
  for (; value >= 1000 && unit < units.length - 1; unit++) value /= 1000;
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}

const secondsOf = ({ reads, writes }: HeldLock, pace: 'slow' | 'quick'): number =>
  reads / READ_RATE[pace] + writes / WRITE_RATE[pace];

function inTime(held: HeldLock): string {
  if (secondsOf(held, 'slow') <= MOMENT_SECONDS) return 'for a moment';
  return `for about ${inWords(secondsOf(held, 'quick'))} to ${inWords(secondsOf(held, 'slow'))}`;
}

const inWords = (seconds: number): string => {
  if (seconds < 1) return `${seconds.toFixed(1)} s`;
  return seconds < 120 ? `${Math.round(seconds)} s` : `${Math.round(seconds / 60)} min`;
};
