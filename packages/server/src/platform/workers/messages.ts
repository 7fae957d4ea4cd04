import type { BusEvent } from '../bus/event.ts';
import type { Config } from '../config/settings.ts';
import type { DatabaseAddress } from '../db/connect.ts';
import type { Family } from '../metrics/exposition.ts';

/** All that a worker needs to know. It holds secrets: it goes through the channel between the processes and nowhere else. */
export interface Assignment {
  readonly config: Config;
  readonly address: DatabaseAddress;
  /** Which of the workers it is, from 1. One that takes the place of another takes its number. */
  readonly number: number;
}

export type ToWorker =
  | { readonly type: 'start'; readonly assignment: Assignment }
  /** The embedded database had to move its socket. */
  | { readonly type: 'moved'; readonly host: string }
  | { readonly type: 'joined' }
  /** A sibling has changed something; to be answered by `told`. */
  | { readonly type: 'tell'; readonly id: number; readonly events: readonly BusEvent[] }
  /** All siblings have acted on what was told. */
  | { readonly type: 'told'; readonly id: number }
  /** To be answered by `metrics`. */
  | { readonly type: 'report' }
  | { readonly type: 'total'; readonly id: number; readonly families: readonly Family[] }
  /** `handover`: another worker has taken over, and there is time to let connections end with an answer. */
  | { readonly type: 'stop'; readonly handover: boolean }
  /** What the worker left behind has arrived: it may exit. */
  | { readonly type: 'farewell' };

export type ToPrimary =
  /** The worker listens to its messages; earlier ones would be lost. */
  | { readonly type: 'hello' }
  | { readonly type: 'ready'; readonly port: number }
  | { readonly type: 'failed'; readonly reason: string }
  | { readonly type: 'join' }
  | { readonly type: 'tell'; readonly id: number; readonly events: readonly BusEvent[] }
  | { readonly type: 'told'; readonly id: number }
  | { readonly type: 'metrics'; readonly families: readonly Family[] }
  /** Asks for the figures of all, and brings its own. */
  | { readonly type: 'total'; readonly id: number; readonly families: readonly Family[] }
  /** It answers nothing more. */
  | { readonly type: 'leaving'; readonly families: readonly Family[] };

/** Waits, unless the returned function is called before the time is over. */
export type Timer = (milliseconds: number, over: () => void) => () => void;

export const systemTimer: Timer = (milliseconds, over) => {
  const timer = setTimeout(over, milliseconds);
  return () => clearTimeout(timer);
};
