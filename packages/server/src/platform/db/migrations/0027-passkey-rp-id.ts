/** Passkeys belong to a relying party id, which the setting PASSKEY_RP_ID can change. */
export const passkeyRpId = {
  version: 27,
  name: 'passkey-rp-id',
  sql: `
alter table passkeys add column rp_id text;
`,
};
