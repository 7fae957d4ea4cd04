import type { EmailVerifyPreview } from '@gatehouse/contract';
import type { Deps } from '../../domain/context.ts';
import { knownDevice } from '../../domain/kernel/user-agent.ts';
import { findOrigin } from '../../domain/unproven/queries.ts';
import { requireLink } from './link.ts';

/** POST /auth/email/verify/preview: what a link would verify; it stays valid. POST keeps the token out of logs. */
export async function preview(deps: Deps, token: string): Promise<EmailVerifyPreview> {
  const { email, kind, user_id } = await requireLink(deps, token);
  // The recipient may not be the owner of the account, so nothing about the account is revealed.
  if (kind === 'email_change') return { email, kind: 'change' };
  const { created_at, user_agent, email_verified_at, credentials } = await findOrigin(deps.db, user_id);
  const account = {
    created_at: created_at.toISOString(),
    device: knownDevice(user_agent),
    unproven: email_verified_at === null,
    credentials,
  };
  return { email, kind: 'verification', account };
}
