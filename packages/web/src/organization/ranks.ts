import type { Capabilities, Member } from '@gatehouse/contract';

export type Role = Member['role'];

/** The role of a session. `machine` has no rank here: machines do not use the pages. */
type OwnRole = Capabilities['role'];

/** Lowest first. */
const RANKS: readonly Role[] = ['member', 'admin', 'owner'];

const rankOf = (role: OwnRole): number => (role === 'machine' ? -1 : RANKS.indexOf(role));

/** Users can grant roles, and change or remove members, up to their own rank. */
export const ranksWith = (own: OwnRole, other: Role): boolean => rankOf(own) >= rankOf(other);

/** Highest first. */
export const rolesUpTo = (own: OwnRole): Role[] => RANKS.slice(0, rankOf(own) + 1).reverse();
