import type { TrustedBrowser } from '@gatehouse/contract';

interface Row {
  readonly id: string;
  readonly name: string;
  readonly user_agent: string | null;
  readonly created_at: Date;
  readonly last_used_at: Date | null;
  readonly expires_at: Date;
}

export const describeBrowser = (row: Row): TrustedBrowser => ({
  id: row.id,
  name: row.name,
  user_agent: row.user_agent,
  created_at: row.created_at.toISOString(),
  last_used_at: row.last_used_at?.toISOString() ?? null,
  expires_at: row.expires_at.toISOString(),
});
