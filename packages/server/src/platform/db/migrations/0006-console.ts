/** Counts for the console's overview. */
export const consoleCounts = {
  version: 6,
  name: 'console',
  sql: `
-- How many rows of each hour are sign-ins, and how many are sign-ins that were refused. What is kept has no such numbers: it is
-- let go of, and the sweeper counts all rows anew. The columns have no default, so that a replica of the version before,
-- which does not know them, counts nothing meanwhile.
select from audit_mark for update;
delete from audit_hours;
update audit_mark set counted_before = '0', counted_to = 0;
alter table audit_hours add column sign_ins bigint not null, add column failed_sign_ins bigint not null;

-- Dead letters are few; those that were sent are many.
create index mails_dead_idx on mails (state) where state in ('failed', 'expired') and not discard;
`,
};
