import type { Config } from '../../platform/config/settings.ts';
import type { Archiving } from '../../platform/db/server-state.ts';
import { counted } from '../support/text.ts';
import { command, type Finding, ok, skipped, warning } from './finding.ts';
import { between } from './times.ts';

const CHECK = 'backups';
const DAY_MS = 86_400_000;
const OLD_MS = 30 * DAY_MS;

interface Traces {
  readonly now: Date;
  /** When the last `gatehouse export` of this database ended. */
  readonly exportedAt: Date | null;
  /** Undefined for the embedded PostgreSQL, which archives nothing. */
  readonly archiving: Archiving | undefined;
}

/** Reports traces of backups. Copies of DATA_DIR, dumps and snapshots leave none: their absence is no fault. */
export function examineBackups({ NODE_ENV, DATA_DIR }: Config, traces: Traces): Finding {
  const { now, exportedAt, archiving } = traces;
  if (NODE_ENV !== 'production') return skipped(CHECK, 'not checked in development');
  if (archiving && isFailing(archiving)) {
    const since = archiving.last_archived_at
      ? `; the last success was ${between(archiving.last_archived_at, now)} ago`
      : '';
    const fix = "Look for the error of archive_command in PostgreSQL's log, and fix it.";
    return warning(CHECK, `PostgreSQL fails to archive its write-ahead log${since}`, fix);
  }
  const details = [exportOf(traces), archiving && archiveOf(archiving, now), archiving && standbysOf(archiving)].filter(
    Boolean,
  );
  if (exportedAt && now.getTime() - exportedAt.getTime() > OLD_MS) {
    const fix = `Export again: ${command('export <a new folder>')}. If you back up in another way now, ignore this.`;
    return warning(CHECK, details.join('; '), fix);
  }
  if (exportedAt || (archiving && archivesNow(archiving, now))) return ok(CHECK, details.join('; '));
  const unseen = archiving ? 'dumps and snapshots cannot be detected' : `copies of ${DATA_DIR} cannot be detected`;
  const way = archiving
    ? "Make sure that backups are made, and test a restore: `pg_dump --format=custom --file=gatehouse.dump <DATABASE_URL>`, or your provider's snapshots."
    : `Make sure that backups are made, and test a restore: ${command('export <a new folder>')}, or a copy of DATA_DIR and .env while the service is stopped.`;
  return skipped(CHECK, `unknown: ${[...details, unseen].join('; ')}`, way);
}

function exportOf({ exportedAt, now }: Traces): string {
  return exportedAt
    ? `the last \`gatehouse export\` was ${between(exportedAt, now)} ago`
    : 'no `gatehouse export` was made';
}

const isFailing = ({ last_failed_at, last_archived_at }: Archiving): boolean =>
  last_failed_at !== null && (last_archived_at === null || last_failed_at > last_archived_at);

const archivesNow = ({ mode, last_archived_at }: Archiving, now: Date): boolean =>
  mode !== 'off' && last_archived_at !== null && now.getTime() - last_archived_at.getTime() < 2 * DAY_MS;

function archiveOf(archiving: Archiving, now: Date): string {
  const { mode, last_archived_at } = archiving;
  if (mode === 'off') return 'the write-ahead log is not archived';
  if (!last_archived_at) return 'archiving of the write-ahead log is on, but nothing was archived yet';
  const beside = archivesNow(archiving, now) ? ' (its base backup cannot be detected)' : '';
  return `the write-ahead log was archived ${between(last_archived_at, now)} ago${beside}`;
}

const standbysOf = ({ standbys }: Archiving): string | undefined =>
  standbys > 0
    ? `${counted(standbys, 'standby server')} ${standbys === 1 ? 'replicates' : 'replicate'} it, which is not a backup`
    : undefined;
