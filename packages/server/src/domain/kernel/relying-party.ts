import type { Config } from '../../platform/config/settings.ts';

/** What browsers bind passkeys to. */
export interface RelyingParty {
  /** Passkeys of another id are not usable: browsers do not offer them here. */
  readonly id: string;
  /** The host of PUBLIC_BASE_URL: the id of passkeys that were added before ids were stored. */
  readonly host: string;
}

export const relyingPartyOf = ({
  PASSKEY_RP_ID,
  PUBLIC_BASE_URL,
}: Pick<Config, 'PASSKEY_RP_ID' | 'PUBLIC_BASE_URL'>): RelyingParty => ({
  id: PASSKEY_RP_ID,
  host: new URL(PUBLIC_BASE_URL).hostname,
});
