import { createApp } from '../../app.ts';
import type { Assignment } from '../../platform/workers/messages.ts';
import { type Place, takePlace } from '../../platform/workers/worker.ts';
import { connectTo, databaseFailure } from '../support/database.ts';
import { isAboutDatabase } from '../support/database-faults.ts';
import { onTerminal } from '../support/environment.ts';
import { CommandFailure } from '../support/failure.ts';
import { openLog, openPort } from '../support/serving.ts';
import { exit } from '../support/stop-signal.ts';
import { describeUnexpected } from '../support/unexpected.ts';
import { whileNotImporting } from '../support/unfinished-import.ts';

/** One worker process of a `serve` with `WORKERS` above 1. */
export async function runWorker(): Promise<never> {
  const place = takePlace();
  const terminal = new AbortController();
  process.on('SIGHUP', () => onTerminal && terminal.abort());
  const assignment = await place.assignment;
  try {
    await work(place, assignment, terminal.signal);
  } catch (error) {
    await place.failed(inWords(assignment, error));
    process.exit(1);
  }
  exit(terminal.signal.aborted);
}

async function work(place: Place, { config, address, number }: Assignment, terminal: AbortSignal): Promise<void> {
  const log = await openLog(config, number);
  // Disables the log, because writing to a closed terminal fails.
  terminal.addEventListener('abort', () => {
    log.level = 'silent';
  });
  const database = connectTo(address, config, log);
  const app = createApp({ config, log, database, workers: place });
  place.ready(await whileNotImporting(database, () => openPort(app, config)));
  const { handover } = await place.stop;
  await app.stop(handover);
  await place.leave();
  await database.close();
}

function inWords({ config }: Assignment, error: unknown): string {
  const failure = isAboutDatabase(error) ? databaseFailure(config, error) : error;
  return failure instanceof CommandFailure ? failure.message : describeUnexpected(failure);
}
