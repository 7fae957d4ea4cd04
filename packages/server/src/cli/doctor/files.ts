import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { mailFolderPath } from '../../domain/mail/transport.ts';
import type { Config } from '../../platform/config/settings.ts';
import { type Finding, ok, warning } from './finding.ts';

const CHECK = 'files';
/** Reading and writing by anybody but the owner. To pass through a folder is no harm: the database's account may have to. */
const OTHERS = 0o066;

interface Place {
  readonly name: string;
  readonly path: string;
}

/** What holds secrets, hashes or mails, and whom it is open to. `folder` is where .env lies. Nothing when none of it is there. */
export async function examineFiles(config: Config, folder: string): Promise<Finding[]> {
  // Windows has no modes, and shows the same for all.
  if (process.platform === 'win32') return [];
  const looked = await Promise.all(
    placesOf(config, folder).map(async (place) => ({ ...place, mode: await modeOf(place) })),
  );
  const found = looked.filter((place): place is Place & { mode: number } => place.mode !== undefined);
  const open = found.filter(({ mode }) => (mode & OTHERS) !== 0);
  if (open.length > 0) {
    return open.map(({ path, mode }) =>
      warning(
        CHECK,
        `${path} is open to other users of this machine (mode ${mode.toString(8).padStart(4, '0')})`,
        `Run: chmod go-rw ${quoted(path)}`,
      ),
    );
  }
  return found.length === 0 ? [] : [ok(CHECK, `open to no other users: ${found.map(({ name }) => name).join(', ')}`)];
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

/** Undefined: it is not there, or not to be looked at by this user. */
const modeOf = ({ path }: Place): Promise<number | undefined> =>
  stat(path).then(
    ({ mode }) => mode & 0o777,
    () => undefined,
  );

const quoted = (path: string): string => (/^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`);
