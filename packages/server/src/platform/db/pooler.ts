/**
 * The pooler in front of the database. One that pools by transaction assigns a connection per transaction: settings,
 * prepared statements and LISTEN do not carry over to the next. `transaction-prepared`: it supports prepared
 * statements.
 */
export const POOLERS = ['none', 'transaction', 'transaction-prepared'] as const;
export type Pooler = (typeof POOLERS)[number];
