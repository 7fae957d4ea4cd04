import type { App } from '../../app.ts';
import type { FirstKeys } from '../../domain/endings/ensure-key.ts';
import type { Config } from '../../platform/config/settings.ts';
import { createLogger, type Logger, openLogStream } from '../../platform/log.ts';
import type { OpenedDatabase } from './database.ts';
import { CommandFailure } from './failure.ts';

export interface ServeContext {
  readonly config: Config;
  readonly log: Logger;
  readonly database: OpenedDatabase;
  readonly firstKeys: FirstKeys | undefined;
}

export interface Serving {
  /** Resolves with the port when it accepts requests. The schema must exist. */
  start(): Promise<number>;
  stop(): Promise<void>;
  /** Handles SIGHUP. Returns false if the signal should end the service. */
  hangUp(): boolean;
  /** Called when the embedded PostgreSQL has moved its socket. */
  moved(host: string): void;
}

/** `worker` is the number of the worker if there are several. */
export async function openLog({ LOG_LEVEL, NODE_ENV }: Config, worker?: number): Promise<Logger> {
  const stream = await openLogStream(process.stdout.isTTY === true && NODE_ENV !== 'production');
  return createLogger({ level: LOG_LEVEL, stream, ...(worker !== undefined && { worker }) });
}

/** Starts the app and opens its port. If that fails, stops the app and throws, with the remedy if it is known. */
export async function openPort(app: App, config: Config, firstKeys?: FirstKeys): Promise<number> {
  try {
    await app.start({ firstKeys });
    await app.server.listen({ port: config.PORT, host: config.HOST });
  } catch (error) {
    await app.stop().catch(() => {});
    throw listenFailure(config, error);
  }
  const address = app.server.server.address();
  return typeof address === 'object' && address ? address.port : config.PORT;
}

function listenFailure(config: Config, error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException;
  const place = `${config.HOST}:${config.PORT}`;
  if (code === 'EADDRINUSE') {
    return new CommandFailure(
      `${place} is in use by another program. Stop it, or set PORT to a free port, for example PORT=${(config.PORT + 1) % 65536}.`,
    );
  }
  if (code === 'EACCES') return new CommandFailure(`This user may not listen on ${place}. Set PORT to 1024 or above.`);
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return new CommandFailure(`${config.HOST} is not an address of this machine. Set HOST to one that is.`);
  }
  return error;
}
