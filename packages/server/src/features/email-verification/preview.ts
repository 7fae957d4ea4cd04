import type { EmailVerifyPreview } from '@gatehouse/contract';
import type { Deps } from '../../domain/context.ts';
import { requireLink } from './link.ts';

/**
 * POST /auth/email/verify/preview: which address a mailed link is about to verify; the link stays as good as it was. A POST, so that no
 * log of a proxy has the token.
 */
export async function preview(deps: Deps, token: string): Promise<EmailVerifyPreview> {
  const { email, kind } = await requireLink(deps, token);
  return { email, kind: kind === 'email_change' ? 'change' : 'verification' };
}
