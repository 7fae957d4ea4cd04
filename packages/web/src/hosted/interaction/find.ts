import { isGatehouseError } from '@gatehouse/client';
import type { Interaction } from '@gatehouse/contract';
import { client } from '../client.ts';

/** The page on which users decide about an interaction. */
const PAGE = '/consent';

/** Returns the id of the interaction in the URL, if there is one. */
export const interactionIn = (given: URLSearchParams): string | undefined => given.get('interaction') || undefined;

/** Returns where a sign-in for an interaction leads. */
export const interactionTarget = (id: string): string => `${PAGE}?${new URLSearchParams({ interaction: id })}`;

const ENDED = ['not_found', 'invalid_input', 'conflict'] as const;

/** Returns whether the error means that the interaction has ended or belongs to another browser or user. */
export const isEnded = (error: unknown): boolean => ENDED.some((code) => isGatehouseError(error, code));

/** Returns the interaction; undefined if it has ended or belongs to another browser or user. */
export const findInteraction = (id: string): Promise<Interaction | undefined> =>
  client.interactions.read(id).catch((error: unknown) => {
    if (!isEnded(error)) throw error;
    return undefined;
  });
