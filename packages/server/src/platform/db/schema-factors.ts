import type { Generated } from 'kysely';
import type { Fixed } from './column-types.ts';

export interface TotpSecrets {
  user_id: Fixed<string>;
  sealed_secret: string;
  created_at: Date;
  /** Null once a first code was verified. */
  pending_until: Date | null;
  used_steps: Generated<number[]>;
}

export interface RecoveryCodes {
  user_id: Fixed<string>;
  code_hash: Fixed<Buffer>;
  created_at: Fixed<Date>;
  used_at: Date | null;
}

export interface MfaTokens {
  jti: Fixed<string>;
  user_id: Fixed<string>;
  attempts: Generated<number>;
  created_at: Fixed<Date>;
  burned_at: Date | null;
  kept_until: Date;
}

export interface Passkeys {
  id: Fixed<string>;
  user_id: Fixed<string>;
  /** Null once revoked, like the key. */
  credential_id: Buffer | null;
  public_key: Buffer | null;
  sign_count: number;
  name: string;
  device_type: 'singleDevice' | 'multiDevice';
  backed_up: boolean;
  transports: Fixed<string[]>;
  aaguid: Fixed<string>;
  created_at: Fixed<Date>;
  last_used_at: Date | null;
  revoked_at: Date | null;
}

export interface PasskeyChallenges {
  id: Fixed<Buffer>;
  expires_at: Fixed<Date>;
}
