import type { TokenResponse } from '@gatehouse/contract';
import type { Deps } from '../../domain/context.ts';
import type { Caller } from '../../domain/kernel/caller.ts';
import { invalidClient, TokenFailure } from '../../domain/kernel/token-failure.ts';
import { readClient } from './read-client.ts';
import type { ClientKind, TokenGrant } from './token-grant.ts';

interface Input {
  readonly authorization: string | undefined;
  readonly page_origin: string | null;
  readonly form: ReadonlyMap<string, string> | undefined;
}

const kindOf = (client_id: string): ClientKind => (client_id.startsWith('gth_') ? 'machine' : 'application');

/** POST /oauth/token: selects the grant by `grant_type` and by the kind of client. */
export function issueToken(
  grants: readonly TokenGrant[],
  deps: Deps,
  caller: Caller,
  { authorization, page_origin, form = new Map() }: Input,
): Promise<TokenResponse> {
  const grantType = form.get('grant_type');
  if (grantType === undefined) throw new TokenFailure('invalid_request', 'grant_type: is required');
  const candidates = grants.filter(({ grant_type }) => grant_type === grantType);
  if (candidates.length === 0) {
    throw new TokenFailure('unsupported_grant_type', 'grant_type: is not supported');
  }
  const client = readClient(authorization, form);
  if (!client) throw invalidClient();
  const grant = candidates.find(({ clients }) => clients === kindOf(client.client_id));
  if (!grant) throw new TokenFailure('unauthorized_client', 'grant_type: is not allowed for this kind of client');
  return grant.handle(deps, caller, { client, form, page_origin });
}
