import type { Config } from '../platform/config/settings.ts';
import { createLogger, type Logger, openLogStream } from '../platform/log.ts';

/** The log of a service; `worker` is its number where there are several. */
export async function openLog({ LOG_LEVEL, NODE_ENV }: Config, worker?: number): Promise<Logger> {
  const stream = await openLogStream(process.stdout.isTTY === true && NODE_ENV !== 'production');
  return createLogger({ level: LOG_LEVEL, stream, ...(worker !== undefined && { worker }) });
}
