import { tabStorage } from './tab-storage.ts';

const ended = tabStorage<true>('gatehouse-session-ended', 60_000);

/** Called before the app goes to the sign-in page because the session has ended. */
export const noteEnded = (): void => ended.write(true);

/** Returns whether this visit of the sign-in page follows the end of a session. */
export const hasEnded = (): boolean => ended.read() === true;

export const forgetEnded = (): void => ended.remove();
