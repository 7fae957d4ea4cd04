import type { Member } from '@gatehouse/contract';

export type Role = Member['role'];

/** The lowest first. */
const RANKS: readonly Role[] = ['member', 'admin', 'owner'];

/** Nobody grants, edits or removes above their own rank; equals may. */
export const ranksWith = (own: Role, other: Role): boolean => RANKS.indexOf(own) >= RANKS.indexOf(other);

/** The highest first. */
export const rolesUpTo = (own: Role): Role[] => RANKS.slice(0, RANKS.indexOf(own) + 1).reverse();
