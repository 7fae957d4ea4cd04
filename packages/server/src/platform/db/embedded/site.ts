import type { Identity } from './identity.ts';

export interface EmbeddedLog {
  info(obj: object, msg: string): void;
  warn(obj: object, msg: string): void;
}

/** How root runs PostgreSQL, which does not run as root: as nobody in a user namespace, or as another account. */
type AsRoot = 'namespace' | 'account';

/** For tests: replaces what is otherwise detected. */
export interface Overrides {
  asRoot?: AsRoot;
  /** The `native` folder of an engine package. */
  native?: string;
  /** Fallback folders for an account that cannot enter DATA_DIR. */
  shelters?: string[];
  /** The program that locks a file. */
  flock?: string;
}

/** One opened DATA_DIR, with what every step of the start needs. */
export interface Site {
  /** DATA_DIR with symbolic links resolved: it is compared with paths of processes and pid files. */
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
  /** DATA_DIR, or a shelter if the account cannot enter DATA_DIR. */
  home: string;
  cluster: string;
  identity: Identity;
}
