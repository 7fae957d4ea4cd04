import { createHash } from 'node:crypto';
import type { Deps } from '../context.ts';
import { findConnectionRow, type ListedConnection } from './queries.ts';

export interface UsableConnection {
  /** The protocol; see `adapterOf`. */
  readonly kind: 'oidc';
  readonly id: string;
  readonly organization_id: string;
  readonly name: string;
  readonly issuer: string;
  readonly client_id: string;
  /** Unsealed only for the token request. Null: a public client. */
  readonly sealed_secret: string | null;
  readonly create_members: boolean;
  readonly default_role: 'member' | 'admin';
  readonly role_ids: readonly string[];
  readonly trust_idp_mfa: boolean;
  readonly active: boolean;
  /** The verified domains of the connection. */
  readonly domains: readonly string[];
  /**
   * Changes with issuer, client and secret. The state of a flow contains it, so that an authorization code from before
   * a change is never sent to the provider configured after it.
   */
  readonly settings_id: string;
}

/** Returns undefined if there is no such connection. Callers must check `active`. */
export async function findConnection({ db }: Pick<Deps, 'db'>, id: string): Promise<UsableConnection | undefined> {
  const row = await findConnectionRow(db, id);
  return row && usable(row);
}

export const usable = (row: ListedConnection): UsableConnection => ({
  ...row,
  kind: 'oidc',
  settings_id: settingsIdOf(row),
});

const settingsIdOf = ({ issuer, client_id, sealed_secret }: ListedConnection): string =>
  createHash('sha256')
    .update(JSON.stringify([issuer, client_id, sealed_secret]))
    .digest()
    .subarray(0, 12)
    .toString('base64url');
