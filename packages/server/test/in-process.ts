import { createApp } from '../src/app.ts';
import { type Environment, loadConfig } from '../src/platform/config/load.ts';
import { connectDatabase } from '../src/platform/db/connect.ts';
import { createLogger } from '../src/platform/log.ts';
import { keptCompilers } from './compilers.ts';
import { CHEAP_HASHES } from './harness.ts';
import { watchAnswers } from './openapi-watch.ts';
import { freePort } from './ports.ts';
import { SECRET } from './postgres.ts';
import { NO_LOAD_SHEDDING } from './timeouts.ts';

export interface LocalServer {
  readonly url: string;
  stop(): Promise<void>;
}

type LocalEnvironment = Environment & { readonly DATABASE_URL: string; readonly DATA_DIR: string };

/**
 * Starts the service in this process, listening on a port, with the system clock and cheap password hashes. For tests
 * that need HTTP, a browser or several replicas, but no separate process: it starts ten times as fast as `startServer`.
 * `DATABASE_URL` must be a migrated database.
 */
export async function startLocalServer(env: LocalEnvironment): Promise<LocalServer> {
  const port = await freePort();
  const own = { JWT_SECRET: SECRET, PUBLIC_BASE_URL: `http://localhost:${port}`, PORT: String(port) };
  const config = loadConfig({ ...own, ...NO_LOAD_SHEDDING, ...env });
  const log = createLogger({ level: config.LOG_LEVEL, stream: { write: () => {} } });
  const address = { connectionString: env.DATABASE_URL, pooler: config.DATABASE_POOLER };
  const database = connectDatabase({ address, poolSize: config.DATABASE_POOL_SIZE, onIdleError: () => {} });
  const app = createApp({ config, log, database, compilers: keptCompilers, hashCost: CHEAP_HASHES });
  const watch = watchAnswers({ server: app.server, config });
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= app.stop().then(() => database.close());
    return stopped;
  };
  try {
    await app.start();
    await app.server.listen({ port, host: '127.0.0.1' });
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      await stop();
      watch.settle();
    },
  };
}
