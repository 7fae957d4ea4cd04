import type { SessionUser } from '@gatehouse/contract';

/** Returns whether single sign-on opened the session: it belongs to the organization and cannot change the account. */
export const isSsoSession = ({ extensions }: Pick<SessionUser, 'extensions'>): boolean =>
  extensions.connection_id !== undefined;
