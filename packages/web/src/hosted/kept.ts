import { tabStorage } from '../ui/tab-storage.ts';

/** Values of a sign-in that are stored in the tab: a phone may discard the page while its user reads the mail. */
interface Kept {
  readonly email?: string;
  /** The user has been sent to single sign-on. If it fails, the page shows the sentences for single sign-on. */
  readonly viaSso?: boolean;
  readonly codeSentAt?: number;
  readonly linkSentAt?: number;
}

const stored = tabStorage<Kept>('gatehouse-sign-in', 15 * 60_000);

export const readKept = (): Kept => stored.read() ?? {};

export const keep = (change: Kept): void => stored.write({ ...stored.read(), ...change });

/** To be called when the user has signed in or out: the next user of the tab must not find the address. */
export const forgetKept = stored.remove;
