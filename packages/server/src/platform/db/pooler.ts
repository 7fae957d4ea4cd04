/**
 * What may stand before the database. One that pools by transaction gives each of them another connection: nothing that is set, prepared
 * or listened to on a connection is there in the next one. `transaction-prepared`: it keeps track of prepared statements.
 */
export const POOLERS = ['none', 'transaction', 'transaction-prepared'] as const;
export type Pooler = (typeof POOLERS)[number];
