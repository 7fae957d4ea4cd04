import { type Client, createClient } from '../packages/client/src/index.ts';
import { PASSWORD } from './limits.ts';
import type { Service } from './service.ts';

interface Organization {
  readonly client: Client;
  readonly organization_id: string;
}

export interface Machine {
  readonly prefix: string;
  readonly key: string;
  revoke(): Promise<unknown>;
}

let organizations = 0;

export async function registerOrganization({ url }: Pick<Service, 'url'>): Promise<Organization> {
  organizations++;
  const client = createClient({ base: `${url}/v1` });
  const { user } = await client.signIn.register({
    email: `machines-${organizations}@example.com`,
    password: PASSWORD,
    organization_name: `Machines ${organizations}`,
  });
  return { client, organization_id: user.organization_id };
}

/** An account may have ten keys. */
const KEYS_PER_ACCOUNT = 10;

export async function createKeys({ client, organization_id }: Organization, count: number): Promise<Machine[]> {
  const machines: Machine[] = [];
  while (machines.length < count) {
    const account = await client.serviceAccounts.create(organization_id, { name: `Bench ${machines.length}` });
    const missing = Math.min(KEYS_PER_ACCOUNT, count - machines.length);
    const created = await Promise.all(
      Array.from({ length: missing }, () => client.apiKeys.create(organization_id, account.id, { name: 'Bench' })),
    );
    for (const { id, prefix, key } of created) {
      machines.push({ prefix, key, revoke: () => client.apiKeys.revoke(organization_id, account.id, id) });
    }
  }
  return machines;
}
