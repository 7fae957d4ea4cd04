import type { Clock } from '../../platform/clock.ts';
import type { Keyring } from '../../platform/crypto/keyring.ts';
import type { Outlet } from './transport.ts';

export interface MailQueue {
  readonly clock: Clock;
  readonly keyring: Keyring;
  /** Returns undefined if nothing can be sent now. */
  readonly transport: () => Outlet | undefined;
  readonly wake: () => void;
  /** Called when a mail was not queued because of a limit. */
  readonly limited: () => void;
}
