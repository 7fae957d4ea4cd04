import type { Siblings } from '../bus/bus.ts';
import type { DatabaseAddress } from '../db/connect.ts';
import type { SharedMetrics } from '../metrics/metrics.ts';
import type { Assignment, ToPrimary, ToWorker } from './messages.ts';
import { createSharedMetrics } from './shared-metrics.ts';
import { createSiblings } from './siblings.ts';

export interface Place {
  /** The address in the assignment is updated if the database moves. */
  readonly assignment: Promise<Assignment>;
  readonly siblings: Siblings;
  readonly metrics: SharedMetrics;
  /** Resolves when the primary tells the worker to stop. */
  readonly stop: Promise<Stop>;
  ready(port: number): void;
  /** Resolves when the message has been sent to the primary. */
  failed(reason: string): Promise<void>;
  /** Sends the last metrics. Resolves when they have arrived and no more connections are passed here. */
  leave(): Promise<void>;
}

interface Stop {
  /** Set if a replacement is serving. Aborted when the primary wants an immediate end. */
  readonly handover: AbortSignal | undefined;
}

/**
 * Ctrl-C and service managers signal every process of a group: a worker ignores signals and follows the primary.
 * Without a primary it exits: `node:cluster` does that.
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
