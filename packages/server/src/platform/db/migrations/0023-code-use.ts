/** Makes the use of an authorization code cheaper. */
export const codeUse = {
  version: 23,
  name: 'code-use',
  contracts: { since: '0.1.0', what: 'application_grants_unspent_idx, which no release has' },
  sql: `
-- An update of a column that an index uses, also in its condition, must update all indexes of the table.
drop index application_grants_unspent_idx;
`,
};
