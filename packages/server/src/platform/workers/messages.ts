import type { BusEvent } from '../bus/event.ts';
import type { Config } from '../config/settings.ts';
import type { DatabaseAddress } from '../db/connect.ts';
import type { Family } from '../metrics/exposition.ts';

/** The configuration of a worker. It contains secrets and must not leave the channel between the processes. */
export interface Assignment {
  readonly config: Config;
  readonly address: DatabaseAddress;
  /** The number of the worker, from 1. A replacement keeps the number. */
  readonly number: number;
}

export type ToWorker =
  | { readonly type: 'start'; readonly assignment: Assignment }
  /** The embedded PostgreSQL moved its socket. */
  | { readonly type: 'moved'; readonly host: string }
  | { readonly type: 'joined' }
  /** Events of a sibling, to be answered with `acknowledged`. */
  | { readonly type: 'events'; readonly id: number; readonly events: readonly BusEvent[] }
  /** All siblings have handled the events. */
  | { readonly type: 'acknowledged'; readonly id: number }
  /** A request for the metrics of the worker, to be answered with `metrics`. */
  | { readonly type: 'report' }
  | { readonly type: 'total'; readonly id: number; readonly families: readonly Family[] }
  /** `handover`: a replacement is serving, so connections may end with their response. */
  | { readonly type: 'stop'; readonly handover: boolean }
  /** The last metrics of the worker have arrived: it may exit. */
  | { readonly type: 'farewell' };

export type ToPrimary =
  /** The worker can receive messages; earlier ones would be lost. */
  | { readonly type: 'hello' }
  | { readonly type: 'ready'; readonly port: number }
  | { readonly type: 'failed'; readonly reason: string }
  | { readonly type: 'join' }
  | { readonly type: 'events'; readonly id: number; readonly events: readonly BusEvent[] }
  | { readonly type: 'acknowledged'; readonly id: number }
  | { readonly type: 'metrics'; readonly families: readonly Family[] }
  /** Sends the worker's own metrics and requests the totals. */
  | { readonly type: 'total'; readonly id: number; readonly families: readonly Family[] }
  /** The worker no longer answers requests. */
  | { readonly type: 'leaving'; readonly families: readonly Family[] };

/** Calls `over` after this time, unless the returned function is called before. */
export type Timer = (milliseconds: number, over: () => void) => () => void;

export const systemTimer: Timer = (milliseconds, over) => {
  const timer = setTimeout(over, milliseconds);
  return () => clearTimeout(timer);
};
