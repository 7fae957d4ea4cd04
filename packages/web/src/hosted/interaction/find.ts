import { isGatehouseError } from '@gatehouse/client';
import type { Interaction } from '@gatehouse/contract';
import { client } from '../client.ts';
import { findSession } from '../session.ts';
import { leaveFor, onwardTo } from '../target.ts';

const PAGE = '/consent';

export const interactionIn = (given: URLSearchParams): string | undefined => given.get('interaction') || undefined;

export const interactionTarget = (id: string): string => `${PAGE}?${new URLSearchParams({ interaction: id })}`;

const ENDED = ['not_found', 'invalid_input', 'conflict'] as const;

/** Returns whether the error means that the interaction has ended or belongs to another browser or user. */
export const isEnded = (error: unknown): boolean => ENDED.some((code) => isGatehouseError(error, code));

/** Returns undefined if it has ended or is not the user's. A restricted session goes to the second factor first. */
export async function findInteraction(id: string): Promise<Interaction | undefined> {
  try {
    return await client.interactions.read(id);
  } catch (error) {
    if (isEnded(error)) return undefined;
    const session = isGatehouseError(error, 'forbidden') ? await findSession() : undefined;
    if (session?.user.extensions.restricted === undefined) throw error;
    return leaveFor(onwardTo(interactionTarget(id), session.user));
  }
}
