import type { SessionUser } from '@gatehouse/contract';

/** Whether the account has credentials that the sign-in did not prove, and its email is not verified. */
export const hasUnproven = ({ extensions }: SessionUser): boolean => extensions.unproven_credentials !== undefined;

interface Marked {
  readonly isUnasked?: boolean;
}

/** Kept in this history entry, so that a reload asks again. Later visits of the page do not ask. */
export const markUnasked = (): void =>
  history.replaceState({ isUnasked: true } satisfies Marked, '', location.pathname + location.search);
export const clearUnasked = (): void => history.replaceState(null, '', location.pathname + location.search);
export const isUnasked = (): boolean => (history.state as Marked | null)?.isUnasked === true;
