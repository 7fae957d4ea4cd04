import type { Passkey } from '@gatehouse/contract';
import type { PasskeyRow } from '../../domain/passkeys/queries.ts';

export const describePasskey = (row: PasskeyRow): Passkey => ({
  ...row,
  created_at: row.created_at.toISOString(),
  last_used_at: row.last_used_at?.toISOString() ?? null,
});
