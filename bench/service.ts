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
  /** Its embedded database, for what is prepared beside the API. */
  connect(): Promise<Db>;
  /** Milliseconds from its start to its being ready. */
  readonly startup: number;
  close(): Promise<void>;
}

/** Of the services that are measured, so that codes and tokens can be made beside them. */
export const SECRET = 'a secret of the bench, 0123456789 abcdefghijklmnop';

/** Ours alone come from one address and in greater numbers than people do. */
const ENVIRONMENT = {
  LOG_LEVEL: 'warn',
  JWT_SECRET: SECRET,
  LIMIT_REGISTRATION_PER_ADDRESS: '100000000/1h',
};

interface ServiceOptions {
  readonly settings?: Readonly<Record<string, string>>;
  /** Where an earlier one has left its data. */
  readonly folder?: string;
  /** The checkout whose build is started; left out, this one. */
  readonly checkout?: string;
}

/** The built service with its embedded PostgreSQL, as `serve` runs it: one process, defaults, mails into a folder. */
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
