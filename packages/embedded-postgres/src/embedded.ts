import { mkdir, realpath } from 'node:fs/promises';
import { type Attached, attach } from './attach.ts';
import { readPassword } from './cluster.ts';
import { EmbeddedError, errorCode, reasonOf } from './error.ts';
import { type Connection, ensureServiceDatabase, serviceConnection } from './lock-connection.ts';
import { type EmbeddedLog, HINTS, type Hints, NAME, type Overrides, type Site } from './site.ts';
import { supervise } from './supervise.ts';

export interface EmbeddedOptions {
  /** A lower-case word: the name of the database and its role, and the prefix of folders in shared places. */
  name: string;
  /** The cluster is in `${dataDir}/postgres`. */
  dataDir: string;
  /** Only one server may run on a folder; any number of tools may join it. */
  role: 'server' | 'tool';
  log: EmbeddedLog;
  /** Receives messages for the terminal during the first start. */
  progress?: (message: string) => void;
  hints?: Hints;
  /** Additional PostgreSQL settings; used only if this process starts it. */
  settings?: Record<string, string>;
  /** Called when the database came back with its socket in another folder. */
  onMove?: (host: string) => void;
  /** Aborts the start and stops what was started. Has no effect afterwards: use close(). */
  signal?: AbortSignal;
}

export interface EmbeddedPostgres {
  /** `host` is the folder of the unix socket. */
  connection: Connection;
  adopted: boolean;
  /** The last process to close stops the database. Close your pools first. */
  close(): Promise<void>;
}

/** Starts the PostgreSQL that npm installed, in `dataDir`, or joins it if it is running. */
export async function openEmbedded(options: EmbeddedOptions, overrides: Overrides = {}): Promise<EmbeddedPostgres> {
  if (!NAME.test(options.name)) throw new EmbeddedError(`${options.name} is no name: use lower-case letters`);
  const { hints = HINTS } = options;
  try {
    return await openUnlessStopped(options, overrides);
  } catch (error) {
    if (options.signal?.aborted) {
      throw new EmbeddedError('the embedded database was stopped before it had started', { cause: error });
    }
    if (error instanceof EmbeddedError) throw error;
    const message = `the embedded database in ${options.dataDir} cannot be used: ${reasonOf(error)}${remedyFor(error, hints)}`;
    throw new EmbeddedError(message, { cause: error });
  }
}

const remedyFor = (error: unknown, { dataDir }: Hints): string =>
  /^(EACCES|EPERM)$/.test(errorCode(error) ?? '')
    ? `. It is not the folder of this user: run as the one it belongs to, or set ${dataDir} to another`
    : '';

async function openUnlessStopped(options: EmbeddedOptions, overrides: Overrides): Promise<EmbeddedPostgres> {
  const abort = new AbortController();
  const stop = () => abort.abort();
  options.signal?.throwIfAborted();
  options.signal?.addEventListener('abort', stop);
  try {
    return await open(options, overrides, abort);
  } finally {
    options.signal?.removeEventListener('abort', stop);
  }
}

async function open(options: EmbeddedOptions, overrides: Overrides, abort: AbortController): Promise<EmbeddedPostgres> {
  const { name, hints = HINTS } = options;
  const dataDir = await prepareDataDir(options.dataDir, hints);
  const site: Site = {
    name,
    hints,
    dataDir,
    role: options.role,
    log: options.log,
    progress: options.progress ?? (() => undefined),
    settings: options.settings ?? {},
    overrides,
    signal: abort.signal,
    password: await readPassword(dataDir),
  };
  const attached = await attach(site);
  site.socketFolder = attached.postmaster.socketFolder;
  const connection = serviceConnection(site, site.socketFolder);
  const supervision = supervise(site, attached, abort, (host) => {
    connection.host = host;
    options.onMove?.(host);
  });
  try {
    await ensureServiceDatabase(attached.lockConnection, name);
    abort.signal.throwIfAborted();
  } catch (error) {
    await supervision.close();
    throw error;
  }
  announce(site, attached);
  return { connection, adopted: attached.adopted, close: supervision.close };
}

async function prepareDataDir(path: string, hints: Hints): Promise<string> {
  try {
    await mkdir(path, { recursive: true, mode: 0o700 });
    return await realpath(path);
  } catch (error) {
    throw new EmbeddedError(
      `cannot make the data folder ${path} (${errorCode(error) ?? reasonOf(error)}): set ${hints.dataDir} to a writable one`,
    );
  }
}

function announce(site: Site, { adopted, postmaster }: Attached): void {
  site.log.info(
    { postgres_pid: postmaster.pid },
    adopted ? 'joined the running embedded database' : 'started the embedded database',
  );
}
