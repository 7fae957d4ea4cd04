import { join } from 'node:path';
import { connectDatabase, type Db } from '../packages/server/src/platform/db/connect.ts';
import { freePort } from '../packages/server/test/ports.ts';
import { openDatabase } from './database.ts';
import { makeFolder, root, startNode, untilReady } from './start-process.ts';
import { atEnd } from './tidy.ts';

export interface Service {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** Connects to its embedded PostgreSQL, for preparations outside of the API. */
  connect(): Promise<Db>;
  /** Milliseconds from start to ready. */
  readonly startup: number;
  close(): Promise<void>;
}

/** The secret of the measured services, so that codes and tokens can be created outside of them. */
export const SECRET = 'a secret of the bench, 0123456789 abcdefghijklmnop';

/** All requests come from one client address, so limits per address are raised. */
const ENVIRONMENT = {
  LOG_LEVEL: 'warn',
  JWT_SECRET: SECRET,
  LIMIT_REGISTRATION_PER_ADDRESS: '100000000/1h',
};

interface ServiceOptions {
  readonly settings?: Readonly<Record<string, string>>;
  /** A folder with the data of an earlier service. */
  readonly folder?: string;
  /** The checkout whose build is started; default: this one. */
  readonly checkout?: string;
}

/** Starts the built service with its embedded PostgreSQL, like `serve`: one process, defaults, mails to a folder. */
export async function startService(options: ServiceOptions = {}): Promise<Service> {
  const { settings = {}, folder = makeFolder(), checkout = root } = options;
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const env = { ...ENVIRONMENT, PORT: String(port), PUBLIC_BASE_URL: url, ...settings };
  const begun = performance.now();
  const started = startNode([join(checkout, 'packages/server/dist/main.mjs'), 'serve'], { cwd: folder, env });
  await untilReady(`${url}/readyz`, started);
  const startup = performance.now() - begun;
  return {
    url,
    port,
    pid: started.pid,
    startup,
    close: started.close,
    async connect() {
      const embedded = await openDatabase(join(folder, 'data'), 'tool');
      const database = connectDatabase({
        address: embedded.connection,
        poolSize: 1,
        unhurried: true,
        onIdleError: () => {},
      });
      atEnd(() => database.close());
      return database.db;
    },
  };
}
