/** Counts for the console's overview. */
export const consoleCounts = {
  version: 6,
  name: 'console',
  sql: `
-- The number of successful and of failed sign-ins per hour. Existing rows do not have these numbers, so they are
-- deleted and the sweeper counts all audit rows again. The columns have no default, so that inserts of a replica of the
-- previous version, which does not count sign-ins, fail.
select from audit_mark for update;
delete from audit_hours;
update audit_mark set counted_before = '0', counted_to = 0;
alter table audit_hours add column sign_ins bigint not null, add column failed_sign_ins bigint not null;

-- For counting failed and expired mails, which are few compared with sent ones.
create index mails_dead_idx on mails (state) where state in ('failed', 'expired') and not discard;
`,
};
