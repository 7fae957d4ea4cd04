import type { Identity } from './identity.ts';

export interface EmbeddedLog {
  info(obj: object, msg: string): void;
  warn(obj: object, msg: string): void;
}

/** How root, whom PostgreSQL refuses, runs it: as nobody in a user namespace, or as another account. */
type AsRoot = 'namespace' | 'account';

/** For tests only: what is otherwise found out from the machine. */
export interface Overrides {
  asRoot?: AsRoot;
  /** The `native` folder of an engine package. */
  native?: string;
  /** Where an account that cannot enter DATA_DIR gets its copy. */
  shelters?: string[];
  /** The program that locks a file. */
  flock?: string;
}

/** One opened DATA_DIR: what every step of the launcher needs to know. */
export interface Site {
  /** DATA_DIR, without symbolic links: it is compared with what processes and pid files say. */
  dataDir: string;
  role: 'server' | 'tool';
  log: EmbeddedLog;
  progress: (message: string) => void;
  settings: Record<string, string>;
  overrides: Overrides;
  /** Aborted by close(), and by who gives up a start: stops waiting and supervising. */
  signal: AbortSignal;
  password: string;
  /** The folder the first connection was made through: a restart uses it again, so that pools find their way back. */
  socketFolder?: string;
}

/** Where the cluster lies, and who runs it. */
export interface ClusterLocation {
  /** DATA_DIR, or a shelter when the account cannot enter DATA_DIR. */
  home: string;
  cluster: string;
  identity: Identity;
}
