import { LIMITS, type MfaSetup } from '@gatehouse/contract';
import { renderSVG } from 'uqr';
import type { Deps } from '../../domain/context.ts';
import type { SessionState } from '../../domain/kernel/session-state.ts';
import { upsertSetup } from '../../domain/mfa/queries.ts';
import { base32, newTotpSecret, otpauthUrl } from '../../domain/mfa/totp.ts';
import { after } from '../../platform/clock.ts';
import { seal } from '../../platform/crypto/seal.ts';
import { alreadyOn } from './conflicts.ts';

/** POST /auth/mfa/setup: the secret is pending until `enable` gets a code made with it. A second call replaces it. */
export async function setUp(deps: Deps, { user_id, email }: SessionState): Promise<MfaSetup> {
  const bytes = newTotpSecret();
  const now = deps.clock.now();
  const sealed_secret = seal(deps.keyring, { purpose: 'totp', row: user_id }, bytes);
  const pending_until = after(now, LIMITS.totp.setup);
  if (!(await upsertSetup(deps.db, { user_id, sealed_secret, now, pending_until }))) throw alreadyOn();
  const secret = base32(bytes);
  const otpauth_url = otpauthUrl({ name: deps.config.BRAND_NAME, email, secret });
  return { secret, otpauth_url, qr_code: dataUri(renderSVG(otpauth_url, { border: 4 })) };
}

const dataUri = (svg: string): string => `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`;
