import cluster from 'node:cluster';
import { resolve } from 'node:path';
import { environmentFileIn, type FirstEnvironment, readEnvironment } from '../../platform/config/env-file.ts';
import { listOddities, type Oddity } from '../../platform/config/env-oddities.ts';
import { ConfigError, type Environment, loadConfig } from '../../platform/config/load.ts';
import type { Config } from '../../platform/config/settings.ts';
import { WORKER_MARK } from '../../platform/workers/worker-process.ts';
import { CommandFailure } from './failure.ts';

/** The only access to the process environment. */
export const processEnvironment: Environment = process.env;
export const startedByNpm = process.env.npm_execpath !== undefined;
export const startedAsWorker = cluster.isWorker && process.env[WORKER_MARK] !== undefined;
/** Whether this process runs in a terminal and should end when the terminal closes. */
export const onTerminal = process.stdin.isTTY === true;
export const workingFolder = (): string => process.cwd();

export const currentEnvironment = (first?: FirstEnvironment): Environment =>
  reading(() => readEnvironment(workingFolder(), processEnvironment, first));

/** Lines of `.env` that are parsed differently than probably meant. */
export const oddLines = (): Oddity[] => reading(() => listOddities(workingFolder()));

function reading<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const remedy = code === 'EISDIR' ? 'It is a folder: remove it.' : 'Make this user its owner, with mode 0600.';
    throw new CommandFailure(`.env cannot be read (${code}). ${remedy}`, { cause: error });
  }
}

/** Returns the settings or throws all faults. Makes folders absolute: nothing else depends on the working folder. */
export function readConfig(first?: FirstEnvironment): Config {
  try {
    const config = loadConfig(currentEnvironment(first));
    return { ...config, DATA_DIR: resolve(workingFolder(), config.DATA_DIR) };
  } catch (error) {
    if (error instanceof ConfigError) throw new CommandFailure(error.message, { cause: error });
    throw error;
  }
}

export const environmentFile = (): string | undefined => environmentFileIn(workingFolder());
