import type { Domain } from '@gatehouse/contract';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { expect } from 'vitest';
import type { TestUser } from '../../../test/browser.ts';
import type { DnsServer } from '../../../test/dns-server.ts';
import type { TestApp } from '../../../test/harness.ts';
import { findSession } from '../../../test/records.ts';
import { colleague } from '../../../test/team.ts';

export const domainsOf = ({ organization_id }: Pick<TestUser, 'organization_id'>, rest = '') =>
  `/orgs/${organization_id}/domains${rest}`;

export async function addedDomain(owner: TestUser, domain: string): Promise<Domain> {
  const { status, text, json } = await owner.browser.post(domainsOf(owner), { domain });
  expect(status, text).toBe(201);
  return json;
}

export const verify = (owner: TestUser, { id }: Pick<Domain, 'id'>) =>
  owner.browser.post(domainsOf(owner, `/${id}/verify`));

export function publish(dns: DnsServer, { record }: Domain): void {
  const old = dns.answers.get(record.name);
  dns.answers.set(record.name, [...(Array.isArray(old) ? old : []), record.value]);
}

export async function verifiedDomain(dns: DnsServer, owner: TestUser, name: string): Promise<Domain> {
  const domain = await addedDomain(owner, name);
  publish(dns, domain);
  const { status, text, json } = await verify(owner, domain);
  expect(status, text).toBe(200);
  return json;
}

/** Creates an active connection of the domain, with a session. Returns a check of whether the session has ended. */
export async function connect(app: TestApp, user: TestUser, { id }: Domain): Promise<() => Promise<boolean>> {
  const now = app.clock.now();
  const { organization_id } = user;
  const connection_id = uuid();
  const { db } = app.deps;
  await db
    .insertInto('sso_connections')
    .values({
      id: connection_id,
      organization_id,
      name: 'Example',
      issuer: 'https://issuer.example',
      client_id: 'client',
      sealed_secret: null,
      create_members: false,
      default_role: 'member',
      trust_idp_mfa: false,
      created_at: now,
    })
    .execute();
  await db.updateTable('sso_connections').set({ active: true }).where('id', '=', connection_id).execute();
  await db.updateTable('domains').set({ connection_id }).where('id', '=', id).execute();
  const { session_id } = await colleague(app, user);
  await sql`update sessions set connection_id = ${connection_id} where id = ${session_id}`.execute(db);
  return async () => (await findSession(app, session_id)).revoked_at !== null;
}
