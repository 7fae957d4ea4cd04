import { isGatehouseError } from '@gatehouse/client';
import type { CurrentSession, InvitationPreview } from '@gatehouse/contract';
import { client } from '../../ui/client.ts';
import { findSession } from '../session.ts';

/** Why there is nothing to accept. */
export type Over = 'missing' | 'unknown' | 'accepted' | 'revoked' | 'expired' | 'suspended' | 'withdrawn';

/** How it ends: they are a member, with a session or still to sign in; or it was too late. */
export type Ending = { readonly joined: string; readonly isSignedIn: boolean } | Over;

export interface Offer {
  readonly token: string;
  readonly invitation: InvitationPreview;
  readonly session: CurrentSession | undefined;
}

/** The service has one code for all of these; its message tells them apart. What it might say one day falls to the last. */
const CONFLICTS = ['accepted', 'revoked', 'expired', 'suspended'] as const;

/** Undefined: it is something else that went wrong. */
export function whyOver(error: unknown): Over | undefined {
  if (!isGatehouseError(error)) return undefined;
  if (error.code === 'not_found' || error.fields.includes('token')) return 'unknown';
  if (error.code !== 'conflict') return undefined;
  return CONFLICTS.find((word) => error.message.includes(word)) ?? 'withdrawn';
}

/** What the token is for, and who is here to accept it. */
export async function findOffer(token: string | undefined): Promise<Offer | Over> {
  if (token === undefined) return 'missing';
  try {
    const [invitation, session] = await Promise.all([client.signIn.previewInvitation(token), findSession()]);
    return { token, invitation, session };
  } catch (error) {
    const over = whyOver(error);
    if (over === undefined) throw error;
    return over;
  }
}
