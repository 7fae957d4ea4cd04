import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { mailFolderPath } from '../../domain/mail/transport.ts';
import type { Config } from '../../platform/config/settings.ts';
import { type Finding, ok, warning } from './finding.ts';

const CHECK = 'files';
/** Mode bits: read and write by group and others. Search permission on folders is harmless; PostgreSQL may need it. */
const OTHERS = 0o066;
/** Mode bits for a `.env` owned by root: its group may read it, so the service can read but not change its settings. */
const BEYOND_GROUP = 0o026;

interface Place {
  readonly name: string;
  readonly path: string;
}

/** Checks who can access files with secrets, hashes or mails. `folder` contains .env. */
export async function examineFiles(config: Config, folder: string): Promise<Finding[]> {
  // Windows reports the same mode for all files.
  if (process.platform === 'win32') return [];
  const checked = await Promise.all(
    placesOf(config, folder).map(async (place) => ({ ...place, access: await accessTo(place) })),
  );
  const found = checked.filter((place): place is Place & { access: Access } => place.access !== undefined);
  const open = found.filter(({ access }) => (access.mode & access.forbidden) !== 0);
  if (open.length > 0) {
    return open.map(({ path, access: { mode, forbidden } }) =>
      warning(
        CHECK,
        `${path} is accessible to other users of this machine (mode ${mode.toString(8).padStart(4, '0')})`,
        `Run: chmod ${forbidden === OTHERS ? 'go-rw' : 'g-w,o-rwx'} ${quoted(path)}`,
      ),
    );
  }
  return found.length === 0
    ? []
    : [ok(CHECK, `not accessible to other users: ${found.map(({ name }) => name).join(', ')}`)];
}

function placesOf({ DATA_DIR, DATABASE_URL, NODE_ENV }: Config, folder: string): Place[] {
  const isUsed = DATABASE_URL === undefined || NODE_ENV !== 'production';
  return [
    { name: '.env', path: join(folder, '.env') },
    ...(isUsed
      ? [
          { name: 'DATA_DIR', path: DATA_DIR },
          { name: 'the password of the database', path: join(DATA_DIR, 'postgres.password') },
          { name: 'mails', path: mailFolderPath({ DATA_DIR }) },
        ]
      : []),
  ];
}

interface Access {
  readonly mode: number;
  readonly forbidden: number;
}

/** Undefined if the file does not exist or this user may not see it. */
const accessTo = ({ name, path }: Place): Promise<Access | undefined> =>
  stat(path).then(
    ({ mode, uid, gid }) => ({
      mode: mode & 0o777,
      forbidden: name === '.env' && uid === 0 && gid !== 0 ? BEYOND_GROUP : OTHERS,
    }),
    () => undefined,
  );

const quoted = (path: string): string => (/^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`);
