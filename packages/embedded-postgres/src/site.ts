import type { Identity } from './identity.ts';

export interface EmbeddedLog {
  info(obj: object, msg: string): void;
  warn(obj: object, msg: string): void;
}

/** How root runs PostgreSQL, which does not run as root: as nobody in a user namespace, or as another account. */
type AsRoot = 'namespace' | 'account';

/** How error messages name the settings of the program. */
export interface Hints {
  /** The setting that names the data folder. */
  readonly dataDir: string;
  /** What to do where the embedded PostgreSQL cannot run, as an imperative. */
  readonly instead: string;
}

export const HINTS: Hints = { dataDir: 'dataDir', instead: 'use a PostgreSQL server' };

/** Names that need no quotes in SQL, shells and paths. */
export const NAME = /^[a-z]{1,20}$/;

/** For tests: replaces what is otherwise detected. */
export interface Overrides {
  asRoot?: AsRoot;
  /** The `native` folder of an engine package. */
  native?: string;
  /** Fallback folders for an account that cannot enter the data folder. */
  shelters?: string[];
  /** The program that locks a file. */
  flock?: string;
}

/** One opened data folder, with what every step of the start needs. */
export interface Site {
  /** The name of the database and its role. */
  name: string;
  hints: Hints;
  /** The data folder with symbolic links resolved: it is compared with paths of processes and pid files. */
  dataDir: string;
  role: 'server' | 'tool';
  log: EmbeddedLog;
  progress: (message: string) => void;
  settings: Record<string, string>;
  overrides: Overrides;
  /** Aborted by close() and by an aborted start: ends waiting and supervision. */
  signal: AbortSignal;
  password: string;
  /** The folder of the first connection. A restart reuses it, so that pools can reconnect. */
  socketFolder?: string;
}

export interface ClusterLocation {
  /** The data folder, or a shelter if the account cannot enter it. */
  home: string;
  cluster: string;
  identity: Identity;
}
