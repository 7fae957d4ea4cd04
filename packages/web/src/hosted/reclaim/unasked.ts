import type { SessionUser } from '@gatehouse/contract';

/** Returns whether the email is not verified and the account has credentials that the sign-in did not prove. */
export const hasUnproven = ({ extensions }: SessionUser): boolean => extensions.unproven_credentials !== undefined;

interface Marked {
  readonly isUnasked?: boolean;
}

/** Marks the history entry: the user was not asked yet. The page asks after a reload, but not at later visits. */
export const markUnasked = (): void =>
  history.replaceState({ isUnasked: true } satisfies Marked, '', location.pathname + location.search);
export const clearUnasked = (): void => history.replaceState(null, '', location.pathname + location.search);
export const isUnasked = (): boolean => (history.state as Marked | null)?.isUnasked === true;
