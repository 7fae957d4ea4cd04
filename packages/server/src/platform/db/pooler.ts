/**
 * The pooler in front of the database. If it pools by transaction, settings, prepared statements and LISTEN do not
 * carry over to the next transaction. `transaction-prepared`: it supports prepared statements.
 */
export const POOLERS = ['none', 'transaction', 'transaction-prepared'] as const;
export type Pooler = (typeof POOLERS)[number];
