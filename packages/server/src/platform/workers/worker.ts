import type { Siblings } from '../bus/bus.ts';
import type { DatabaseAddress } from '../db/connect.ts';
import type { SharedMetrics } from '../metrics/metrics.ts';
import type { Assignment, ToPrimary, ToWorker } from './messages.ts';
import { createSharedMetrics } from './shared-metrics.ts';
import { createSiblings } from './siblings.ts';

/** The place of this process among the workers of one `serve`. */
export interface Place {
  /** Its address changes when the database moves. */
  readonly assignment: Promise<Assignment>;
  readonly siblings: Siblings;
  readonly metrics: SharedMetrics;
  /** Settles when the primary wants it to end. */
  readonly stop: Promise<Stop>;
  ready(port: number): void;
  /** Settles when that is on its way to the primary. */
  failed(reason: string): Promise<void>;
  /** Hands in the last figures; settles when they have arrived, and no connection is on its way here any more. */
  leave(): Promise<void>;
}

interface Stop {
  /** Another worker has taken over, and there is time, until this says otherwise. */
  readonly handover: AbortSignal | undefined;
}

/**
 * Ctrl-C and service managers signal every process of a group: a worker leaves that to the primary and does what it says.
 * Without a primary it ends: `node:cluster` sees to that.
 */
export function takePlace(): Place {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => {});
  const post = (message: ToPrimary): Promise<void> =>
    new Promise((resolve) => process.send!(message, undefined, undefined, () => resolve()));
  const send = (message: ToPrimary): void => void post(message);
  const bus = createSiblings({ send });
  const shared = createSharedMetrics({ send });
  const hurry = new AbortController();
  let address: DatabaseAddress | undefined;
  let begin: (assignment: Assignment) => void;
  let end: (stop: Stop) => void;
  let dismiss = () => {};
  const assignment = new Promise<Assignment>((resolve) => {
    begin = resolve;
  });
  const stop = new Promise<Stop>((resolve) => {
    end = resolve;
  });

  process.on('message', (message: ToWorker) => {
    bus.receive(message);
    shared.receive(message);
    if (message.type === 'start') {
      address = message.assignment.address;
      begin(message.assignment);
    }
    if (message.type === 'moved' && address && 'host' in address) address.host = message.host;
    if (message.type === 'stop') {
      if (!message.handover) hurry.abort();
      end({ handover: message.handover ? hurry.signal : undefined });
    }
    if (message.type === 'farewell') dismiss();
  });
  send({ type: 'hello' });

  return {
    assignment,
    siblings: bus.siblings,
    metrics: shared.metrics,
    stop,
    ready: (port) => send({ type: 'ready', port }),
    failed: (reason) => post({ type: 'failed', reason }),
    async leave() {
      const dismissed = new Promise<void>((resolve) => {
        dismiss = resolve;
      });
      send({ type: 'leaving', families: await shared.read() });
      await dismissed;
    },
  };
}
