/** The transaction id of a revocation, which cursors of the feed need. */
export const feed = {
  version: 9,
  name: 'feed',
  sql: `
-- The transaction that added the entry. Null in existing rows, which were committed before the first cursor was issued.
-- The default is set in a second statement, so that existing rows are not rewritten. The previous version inserts rows
-- without this column.
alter table revocations add column xid xid8;
alter table revocations alter column xid set default pg_current_xact_id();
`,
};
