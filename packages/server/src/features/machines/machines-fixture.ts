import type { CreatedApiKey, NewApiKey, ServiceAccount } from '@gatehouse/contract';
import { v7 as uuid } from 'uuid';
import { type Answer, type Ask, bearer, createBrowser, type TestUser } from '../../../test/browser.ts';
import type { TestApp } from '../../../test/harness.ts';
import { createKey, hashSecret } from '../../domain/machines/key-format.ts';
import { insertRole } from '../roles/roles-fixture.ts';

type Place = Pick<TestUser, 'organization_id'>;

export const accountsPath = ({ organization_id }: Place, ...rest: string[]): string =>
  ['', 'orgs', organization_id, 'service-accounts', ...rest].join('/');

const created = async <T>(answer: Promise<Answer>): Promise<T> => {
  const { status, text, json } = await answer;
  if (status !== 201) throw new Error(`the request was answered ${status}: ${text}`);
  return json;
};

export const createAccount = (by: TestUser, body: object = {}): Promise<ServiceAccount> =>
  created(by.browser.post(accountsPath(by), { name: 'Import', ...body }));

export const createApiKey = (by: TestUser, account_id: string, body: object = {}): Promise<CreatedApiKey> =>
  created(by.browser.post(accountsPath(by, account_id, 'keys'), { name: 'Key', ...body }));

export async function machine(
  by: TestUser,
  { role_ids = [], ...key }: { role_ids?: string[] } & Partial<NewApiKey> = {},
) {
  const account = await createAccount(by, { role_ids });
  return { account, ...(await createApiKey(by, account.id, key)) };
}

export const sendAs = (app: TestApp, token: string, method: string, path: string, ask: Ask = {}) =>
  createBrowser(app).send(method, path, { ...ask, headers: { ...bearer(token).headers, ...ask.headers } });

interface NewKey {
  readonly organization_id: string;
  readonly created_by: string;
  readonly permissions: string[];
  readonly scopes: string[] | null;
}

export async function insertKey(app: TestApp, { permissions, scopes, ...row }: NewKey) {
  const { db } = app.deps;
  const [account_id, created_at] = [uuid(), app.clock.now()];
  const role_id = await insertRole(app, { organization_id: row.organization_id, permissions });
  const { key, ...parts } = createKey();
  await db
    .insertInto('service_accounts')
    .values({ ...row, id: account_id, name: 'Key', description: null, created_at })
    .execute();
  await db.insertInto('service_account_roles').values({ service_account_id: account_id, role_id }).execute();
  const restrictions = { scopes, allowed_ips: [], allowed_referrers: [], expires_at: null };
  const identity = { id: uuid(), sid: uuid(), public_id: parts.public_id, secret_hash: hashSecret(parts) };
  await db
    .insertInto('api_keys')
    .values({ ...identity, ...restrictions, service_account_id: account_id, name: 'Key', created_at })
    .execute();
  return { key, account_id, key_id: identity.id };
}

interface Exchange {
  readonly scope?: string;
  readonly headers?: Record<string, string>;
  readonly remoteAddress?: string;
  readonly client_id?: string;
}

export async function exchange(app: TestApp, key: string, { scope, headers, remoteAddress, client_id }: Exchange = {}) {
  const {
    statusCode,
    json,
    headers: sent,
  } = await app.server.inject({
    method: 'POST',
    url: '/oauth/token',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: client_id ?? key.slice(0, 16),
      client_secret: key,
      ...(scope !== undefined && { scope }),
    }).toString(),
    ...(remoteAddress !== undefined && { remoteAddress }),
  });
  return { status: statusCode, json: json(), headers: sent };
}
