/** What an organization sees of an audit row. */
export const auditVisibility = {
  version: 10,
  name: 'audit-visibility',
  sql: `
-- 'full', 'redacted' (without the actor) or 'hidden'. Null in rows of the previous version: see VISIBILITY in the code.
alter table audit_events add column visibility text;
`,
};
