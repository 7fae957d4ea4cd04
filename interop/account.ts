import { startService } from '../bench/service.ts';
import { type Client, createClient } from '../packages/client/src/index.ts';

interface Account {
  readonly client: Client;
  readonly organization_id: string;
  readonly user_id: string;
  readonly email: string;
}

const OWNER = 'owner@example.com';
export const PASSWORD = 'correct horse battery staple';

export async function register(url: string, email: string): Promise<Account> {
  const client = createClient({ base: `${url}/v1` });
  const { user } = await client.signIn.register({ email, password: PASSWORD, organization_name: 'Interop' });
  return { client, organization_id: user.organization_id, user_id: user.user_id, email };
}

/** Starts the service. The returned account owns an organization and the platform. `url` is also the issuer. */
export async function startWithOwner(
  settings: Readonly<Record<string, string>> = {},
): Promise<Account & { readonly url: string }> {
  const { url } = await startService({ settings: { INITIAL_OWNER_EMAIL: OWNER, ...settings } });
  return { ...(await register(url, OWNER)), url };
}

interface Machine {
  readonly prefix: string;
  readonly key: string;
  revoke(): Promise<void>;
}

/** Creates a service account of the organization, with a key that is not limited. */
export async function createMachine({ client, organization_id }: Account): Promise<Machine> {
  const { id } = await client.serviceAccounts.create(organization_id, { name: 'Interop' });
  const created = await client.apiKeys.create(organization_id, id, { name: 'Interop' });
  const { prefix, key } = created;
  return { prefix, key, revoke: () => client.apiKeys.revoke(organization_id, id, created.id) };
}
