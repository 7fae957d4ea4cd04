import { type Answer, ask, bearerOf, faultOf, JSON_TYPE, jsonOf } from './ask-fixture.ts';
import type { Account, Service } from './service-fixture.ts';

export type AskAs = (account: Account | undefined, method: string, path: string, body?: unknown) => Promise<Answer>;

/** Sends a request as this user, alternating between servers. Throws if the response violates the OpenAPI document. */
export const askAs =
  (service: Service): AskAs =>
  async (account, method, path, body) => {
    const url = service.url();
    const headers = { ...(account && bearerOf(account)), ...(body !== undefined && JSON_TYPE) };
    const asked = { method, path, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
    const answer = await ask(url, asked);
    const fault = faultOf(url, asked, answer);
    if (fault !== undefined) throw new Error(fault);
    return answer;
  };

export interface Place {
  readonly name: string;
  readonly keep: (text: string) => Promise<Answer>;
  readonly read: (answer: Answer) => Promise<unknown>;
}

export interface Items {
  readonly items: readonly Record<string, unknown>[];
}

interface Callers {
  readonly owner: Account;
  readonly platformOwner: Account;
}

export const placesOf = (as: AskAs, { owner, platformOwner }: Callers): readonly Place[] => [
  {
    name: 'display_name',
    keep: (display_name) => as(owner, 'PATCH', '/v1/users/me', { display_name }),
    read: async () =>
      jsonOf<Record<string, unknown>>(await as(platformOwner, 'GET', `/v1/users/${owner.user_id}`)).display_name,
  },
  {
    name: 'name of an organization',
    keep: (name) => as(platformOwner, 'PATCH', `/v1/admin/orgs/${owner.organization_id}`, { name }),
    read: async () =>
      jsonOf<Record<string, unknown>>(await as(platformOwner, 'GET', `/v1/admin/orgs/${owner.organization_id}`)).name,
  },
  {
    name: 'name of a trusted browser',
    keep: (name) => as(owner, 'POST', '/v1/auth/trusted-browsers', { name }),
    async read(answer) {
      const { items } = jsonOf<Items>(await as(owner, 'GET', '/v1/auth/trusted-browsers'));
      return items.find(({ id }) => id === jsonOf<{ id: string }>(answer).id)?.name;
    },
  },
  {
    name: 'flag_key',
    keep: (flag_key) => as(platformOwner, 'PUT', '/v1/admin/feature-flags', { flag_key, enabled: true }),
    async read(answer) {
      const { flag_key } = jsonOf<{ flag_key: string }>(answer);
      const flags = jsonOf<{ flag_key: string }[]>(await as(platformOwner, 'GET', '/v1/admin/feature-flags'));
      return flags.find((flag) => flag.flag_key === flag_key)?.flag_key;
    },
  },
  {
    name: 'client_id',
    keep: (client_id) =>
      as(platformOwner, 'PUT', '/v1/admin/integrations/oauth_b', { enabled: false, public_config: { client_id } }),
    async read() {
      const { providers } = jsonOf<{ providers: { provider: string; public_config: { client_id?: string } }[] }>(
        await as(platformOwner, 'GET', '/v1/admin/integrations'),
      );
      return providers.find(({ provider }) => provider === 'oauth_b')?.public_config.client_id;
    },
  },
];
