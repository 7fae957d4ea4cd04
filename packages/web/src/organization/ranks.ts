import type { Member } from '@gatehouse/contract';

export type Role = Member['role'];

/** Lowest first. */
const RANKS: readonly Role[] = ['member', 'admin', 'owner'];

/** Users can grant roles, and change or remove members, up to their own rank. */
export const ranksWith = (own: Role, other: Role): boolean => RANKS.indexOf(own) >= RANKS.indexOf(other);

/** Highest first. */
export const rolesUpTo = (own: Role): Role[] => RANKS.slice(0, RANKS.indexOf(own) + 1).reverse();
