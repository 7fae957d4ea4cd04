import type { Clock } from '../../platform/clock.ts';
import type { Keyring } from '../../platform/crypto/keyring.ts';
import type { Outlet } from './transport.ts';

/** What the rest of the service may know of mail: how to queue one, and whether any can leave at all. */
export interface MailQueue {
  readonly clock: Clock;
  readonly keyring: Keyring;
  /** Undefined: nothing can be sent now. */
  readonly transport: () => Outlet | undefined;
  /** There may be something to send. */
  readonly wake: () => void;
  /** One was asked for and not queued, because of a limit. */
  readonly limited: () => void;
}
