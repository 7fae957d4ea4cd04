import type { Domain } from '@gatehouse/contract';
import { v7 as uuid } from 'uuid';
import { describe, expect, it } from 'vitest';
import { bearer, createBrowser, registerUser, type TestUser, tally } from '../browser.ts';
import { startDnsServer } from '../dns-server.ts';
import { auditOf } from '../records.ts';
import { startReplicas } from '../replicas.ts';
import { forSuite } from '../suite.ts';

const dns = forSuite(startDnsServer);
const replicas = forSuite(() => startReplicas(2, { DNS_SERVERS: dns.address }));

const send = (url: string, { access_token, organization_id }: TestUser, rest: string, body?: unknown) =>
  createBrowser(url).send('POST', `/orgs/${organization_id}/domains${rest}`, {
    ...bearer(access_token),
    ...(body !== undefined && { body }),
  });

describe('domains on two servers', () => {
  it('a domain that an organization adds many times concurrently is added once', async () => {
    const owner = await registerUser(replicas.urls[0]!);
    const answers = await replicas.many(6, (url) => send(url, owner, '', { domain: 'added.example' }));
    expect(tally(answers)).toEqual({ 201: 1, 409: 5 });
  });

  it('a domain that two organizations verify concurrently belongs to one of them, with one audit row', async () => {
    const owners = [await registerUser(replicas.urls[0]!), await registerUser(replicas.urls[1]!)] as const;
    const added: Domain[] = [];
    const domain = `${uuid()}.example`;
    for (const owner of owners) {
      added.push((await send(replicas.urls[0]!, owner, '', { domain })).json);
    }
    dns.answers.set(
      `_gatehouse.${domain}`,
      added.map(({ record }) => record.value),
    );
    const answers = await replicas.many(8, async (url, index) => {
      // Both organizations use both servers.
      const of = (index >> 1) % 2;
      return { of, status: (await send(url, owners[of]!, `/${added[of]!.id}/verify`)).status };
    });
    const winner = answers.find(({ status }) => status === 200)!.of;
    for (const { of, status } of answers) expect(status).toBe(of === winner ? 200 : 409);
    const verified = await auditOf(replicas.database, { action: 'domain.verified' });
    const ids = added.map(({ id }) => id);
    expect(verified.filter(({ resource_id }) => ids.includes(resource_id!))).toMatchObject([
      { resource_id: ids[winner], organization_id: owners[winner]!.organization_id },
    ]);
  });
});
