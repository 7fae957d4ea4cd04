/** The transaction id of a revocation, which cursors of the feed need. */
export const feed = {
  version: 9,
  name: 'feed',
  sql: `
-- The transaction that added the entry. Rows that are there stay null: they were committed before any cursor was given out.
-- The default is set by itself, so that those rows are not written; the version before inserts without naming the column.
alter table revocations add column xid xid8;
alter table revocations alter column xid set default pg_current_xact_id();
`,
};
