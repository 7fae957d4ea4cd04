import { type RawBuilder, sql } from 'kysely';
import type { FirstFactor } from '../../platform/db/column-types.ts';
import type { RelyingParty } from './relying-party.ts';
import type { SessionReach } from './session-state.ts';

/** Statements that consume something, each if `source`, another CTE of the same statement, has a row. */
export type Uses = (source: RawBuilder<unknown>) => readonly RawBuilder<unknown>[];

export const NOTHING: Uses = () => [];

/** The default `claim`, which always succeeds: for a proof that cannot become invalid between check and write. */
export const ALWAYS: RawBuilder<unknown> = sql`select 1`;

/**
 * The first factor of a session `s`. Sessions of the previous version have no `first_factor`; their `auth_method` names
 * it, unless a second factor followed.
 */
export const firstFactor = sql<FirstFactor | null>`coalesce(s.first_factor, nullif(s.auth_method, 'password_with_mfa'))`;

/** `reachOf` for a session `s`, or a grant `g` that began in one. */
export const reach = (holder: 's' | 'g' = 's'): RawBuilder<SessionReach> =>
  sql`case when ${sql.ref(`${holder}.connection_id`)} is null then 'account' else 'organization' end`;

/** The relying party id of a passkey `p`. */
export const rpIdOfPasskey = ({ host }: RelyingParty): RawBuilder<string> => sql`coalesce(p.rp_id, ${host}::text)`;

/** Whether a passkey `p` is of the present relying party id. One that is not counts as no sign-in method. */
export const isUsable = (relyingParty: RelyingParty): RawBuilder<boolean> =>
  sql`(${rpIdOfPasskey(relyingParty)} = ${relyingParty.id}::text)`;

/** The smallest id that can be created at this time: UUID v7 begins with the milliseconds. */
export const firstIdAt = (time: Date): string => {
  const hex = time.getTime().toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
};
