/**
 * The order in which a transaction locks rows; a lock that it has already may be taken again. This prevents deadlocks:
 *
 * 1. Advisory locks (`platform/db/lock.ts`).
 * 2. Rows of these tables, in this order.
 * 3. Sessions, tokens, memberships, then rows of all other tables. Code that locks rows of a user locks the user first,
 *    so that two transactions never wait for each other here.
 *
 * Rows of one table are locked in the order of their ids. `test/lock-order.test.ts` records the locks of transactions
 * and checks 1 and 2.
 */
export const LOCK_ORDER = ['users', 'organizations', 'sso_connections', 'domains'] as const;
