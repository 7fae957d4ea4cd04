import { startService } from '../bench/service.ts';
import { type Client, createClient } from '../packages/client/src/index.ts';

interface Account {
  /** The address of the service, which is also its issuer. */
  readonly url: string;
  readonly client: Client;
  readonly organization_id: string;
  readonly user_id: string;
}

const OWNER = 'owner@example.com';

/** Starts the built service on an empty database. The returned account owns an organization and the platform. */
export async function startWithOwner(settings: Readonly<Record<string, string>> = {}): Promise<Account> {
  const { url } = await startService({ settings: { INITIAL_OWNER_EMAIL: OWNER, ...settings } });
  const client = createClient({ base: `${url}/v1` });
  const { user } = await client.signIn.register({
    email: OWNER,
    password: 'correct horse battery staple',
    organization_name: 'Interop',
  });
  return { url, client, organization_id: user.organization_id, user_id: user.user_id };
}

interface Machine {
  readonly prefix: string;
  readonly key: string;
  /** Ends the key. */
  revoke(): Promise<void>;
}

/** Creates a service account of the organization, with a key that is not limited. */
export async function createMachine({ client, organization_id }: Account): Promise<Machine> {
  const { id } = await client.serviceAccounts.create(organization_id, { name: 'Interop' });
  const created = await client.apiKeys.create(organization_id, id, { name: 'Interop' });
  const { prefix, key } = created;
  return { prefix, key, revoke: () => client.apiKeys.revoke(organization_id, id, created.id) };
}
