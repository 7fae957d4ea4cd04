import { isGatehouseError } from '@gatehouse/client';
import type { CurrentSession, InvitationPreview, SignInOptions } from '@gatehouse/contract';
import { client } from '../client.ts';
import { findSession } from '../session.ts';

export type Over = 'missing' | 'unknown' | 'accepted' | 'revoked' | 'expired' | 'suspended' | 'withdrawn';

/** The outcome: the user is a member, signed in or not yet, or the invitation could no longer be accepted. */
export type Ending = { readonly joined: string; readonly isSignedIn: boolean } | Over;

export interface Offer {
  readonly token: string;
  readonly invitation: InvitationPreview;
  readonly session: CurrentSession | undefined;
  readonly providers: SignInOptions['oauth'];
}

/** The service uses one error code for these causes; its message names the cause. Unknown messages mean `withdrawn`. */
const CONFLICTS = ['accepted', 'revoked', 'expired', 'suspended'] as const;

/** Returns undefined for errors of another kind. */
export function whyOver(error: unknown): Over | undefined {
  if (!isGatehouseError(error)) return undefined;
  if (error.code === 'not_found' || error.fields.includes('token')) return 'unknown';
  if (error.code !== 'conflict') return undefined;
  return CONFLICTS.find((word) => error.message.includes(word)) ?? 'withdrawn';
}

export async function findOffer(token: string | undefined): Promise<Offer | Over> {
  if (token === undefined) return 'missing';
  try {
    const [invitation, session, options] = await Promise.all([
      client.signIn.previewInvitation(token),
      findSession(),
      client.signIn.options(),
    ]);
    // While registration is closed, a provider only signs in to existing accounts.
    return { token, invitation, session, providers: options.registration ? options.oauth : [] };
  } catch (error) {
    const over = whyOver(error);
    if (over === undefined) throw error;
    return over;
  }
}
