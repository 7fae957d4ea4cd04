import type { TokenResponse } from '@gatehouse/contract';
import type { Deps } from '../../domain/context.ts';
import type { Caller } from '../../domain/kernel/caller.ts';

/** The credentials that a client sent, not verified yet. Public clients have no secret. */
export interface ClientCredentials {
  readonly client_id: string;
  readonly client_secret: string | undefined;
}

export interface TokenRequest {
  /** The origin of the page that sent the request; null if its headers name none. */
  readonly page_origin: string | null;
  readonly client: ClientCredentials;
  /** The other parameters. None is empty or has control characters. */
  readonly form: ReadonlyMap<string, string>;
}

/** Machines have client ids that begin with `gth_`; those of applications never do. */
export type ClientKind = 'machine' | 'application';

/** Handles one `grant_type` for one kind of client. The handler authenticates the client, and throws `TokenFailure`. */
export interface TokenGrant {
  readonly grant_type: string;
  readonly clients: ClientKind;
  readonly handle: (deps: Deps, caller: Caller, request: TokenRequest) => Promise<TokenResponse>;
}
