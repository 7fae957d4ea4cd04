import type { Domain } from '@gatehouse/contract';
import { expect } from 'vitest';
import type { TestUser } from '../../../test/browser.ts';
import type { DnsServer } from '../../../test/dns-server.ts';

export const domainsOf = ({ organization_id }: Pick<TestUser, 'organization_id'>, rest = '') =>
  `/orgs/${organization_id}/domains${rest}`;

export async function addedDomain(owner: TestUser, domain: string): Promise<Domain> {
  const { status, text, json } = await owner.browser.post(domainsOf(owner), { domain });
  expect(status, text).toBe(201);
  return json;
}

export const verify = (owner: TestUser, { id }: Pick<Domain, 'id'>) =>
  owner.browser.post(domainsOf(owner, `/${id}/verify`));

/** Publishes the record of a domain, besides the records that its name already has. */
export function publish(dns: DnsServer, { record }: Domain): void {
  const old = dns.answers.get(record.name);
  dns.answers.set(record.name, [...(Array.isArray(old) ? old : []), record.value]);
}

/** Adds a domain, publishes its record and verifies it. */
export async function verifiedDomain(dns: DnsServer, owner: TestUser, name: string): Promise<Domain> {
  const domain = await addedDomain(owner, name);
  publish(dns, domain);
  const { status, text, json } = await verify(owner, domain);
  expect(status, text).toBe(200);
  return json;
}
