import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { mailFolderPath } from '../../domain/mail/transport.ts';
import type { Config } from '../../platform/config/settings.ts';
import { type Finding, ok, warning } from './finding.ts';

const CHECK = 'files';
/** Reading and writing by anybody but the owner. To pass through a folder is no harm: the database's account may have to. */
const OTHERS = 0o066;
/** A file of root that one group may read: so a service reads settings that it cannot change. */
const BEYOND_GROUP = 0o026;

interface Place {
  readonly name: string;
  readonly path: string;
}

/** What holds secrets, hashes or mails, and whom it is open to. `folder` is where .env lies. Nothing when none of it is there. */
export async function examineFiles(config: Config, folder: string): Promise<Finding[]> {
  // Windows has no modes, and shows the same for all.
  if (process.platform === 'win32') return [];
  const looked = await Promise.all(
    placesOf(config, folder).map(async (place) => ({ ...place, access: await accessTo(place) })),
  );
  const found = looked.filter((place): place is Place & { access: Access } => place.access !== undefined);
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

/** Undefined: it is not there, or not to be looked at by this user. */
const accessTo = ({ name, path }: Place): Promise<Access | undefined> =>
  stat(path).then(
    ({ mode, uid, gid }) => ({
      mode: mode & 0o777,
      forbidden: name === '.env' && uid === 0 && gid !== 0 ? BEYOND_GROUP : OTHERS,
    }),
    () => undefined,
  );

const quoted = (path: string): string => (/^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`);
