import type { Domain } from '@gatehouse/contract';
import { v7 as uuid } from 'uuid';
import { beforeEach, describe, expect, it } from 'vitest';
import type { TestUser } from '../../../test/browser.ts';
import { startDnsServer } from '../../../test/dns-server.ts';
import { startTestApp } from '../../../test/harness.ts';
import { auditOf, setAuthTime } from '../../../test/records.ts';
import { forSuite } from '../../../test/suite.ts';
import { colleague, founder } from '../../../test/team.ts';
import { listDomains } from '../../domain/email-domains/queries.ts';
import { after } from '../../platform/clock.ts';
import { givePolicy } from '../policy/policy-fixture.ts';
import { describeDomain } from './describe.ts';
import { addedDomain, connect, domainsOf, publish, verifiedDomain, verify } from './domains-fixture.ts';

const DAY = 86_400;
const dns = forSuite(startDnsServer);
const app = forSuite(() => startTestApp({ environment: { DNS_SERVERS: dns.address, LIMIT_DOMAIN_CHECKS: '12/10m' } }));

let owner: TestUser;
/** Every test gets a new domain name, so that tests do not affect each other. */
let name: string;
beforeEach(async () => {
  owner = await founder(app);
  name = `d${uuid().replaceAll('-', '')}.example`;
});

const listed = async (user: TestUser): Promise<Domain[]> => (await user.browser.get(domainsOf(user))).json.items;
const stored = () => listDomains(app.deps.db, owner.organization_id);
const remove = (user: TestUser, { id }: Pick<Domain, 'id'>) => user.browser.send('DELETE', domainsOf(user, `/${id}`));
const audited = async ({ id }: Pick<Domain, 'id'>) =>
  (await auditOf(app, { resource_id: id })).map(({ action, actor_type }) => [action, actor_type]);
const hide = ({ record }: Domain) => dns.answers.delete(record.name);

describe('POST /orgs/:org_id/domains', () => {
  it('adds a pending domain with the record to publish, and writes an audit row', async () => {
    const domain = await addedDomain(owner, name);
    expect(domain).toEqual({
      id: expect.any(String),
      domain: name,
      status: 'pending',
      record: {
        type: 'TXT',
        name: `_gatehouse.${name}`,
        value: expect.stringMatching(/^gatehouse-domain=[\w-]{43}$/),
      },
      verified_at: null,
      checked_at: null,
      failing_since: null,
    });
    expect(await listed(owner)).toEqual([domain]);
    const [row] = await auditOf(app, { action: 'domain.added', resource_id: domain.id });
    expect(row).toMatchObject({ organization_id: owner.organization_id, metadata: { domain: name } });
  });

  it.each([
    ['Example.COM', 'example.com'],
    ['  mail.example.com. ', 'mail.example.com'],
    ['Bücher.Example', 'xn--bcher-kva.example'],
    ['XN--BCHER-KVA.example', 'xn--bcher-kva.example'],
    ['straße.example', 'xn--strae-oqa.example'],
    ['ｅｘａｍｐｌｅ.org', 'example.org'],
    ['例え.テスト', 'xn--r8jz45g.xn--zckzah'],
    ['intranet.corp', 'intranet.corp'],
  ])('stores %j as %s, and returns 409 for the same domain again', async (typed, stored) => {
    expect((await addedDomain(owner, typed)).domain).toBe(stored);
    for (const again of [typed, stored]) {
      expect(await owner.browser.post(domainsOf(owner), { domain: again })).toMatchObject({ status: 409 });
    }
    // Another organization may add the same domain while it is pending.
    expect((await addedDomain(await founder(app), typed)).domain).toBe(stored);
  });

  it.each([
    ['com', 'a top-level domain'],
    ['co.uk', 'a public suffix'],
    ['github.io', 'a suffix of the private section'],
    ['corp', 'a single label'],
    ['gmail.com', 'a public mail service'],
    ['GMail.com', 'a public mail service in upper case'],
    ['127.0.0.1', 'an address'],
    ['2130706433.1', 'a number that a URL would turn into an address'],
    ['[::1]', 'an IPv6 address'],
    ['example.com:53', 'a port'],
    ['example.com/path', 'a path'],
    ['ada@example.com', 'an email address'],
    ['https://example.com', 'a URL'],
    ['*.example.com', 'a wildcard'],
    ['_dmarc.example.com', 'an underscore'],
    ['example..com', 'an empty label'],
    ['-a.example', 'a hyphen at the start'],
    ['ex%61mple.com', 'an escape'],
    ['exa\u00admple.com', 'an invisible character'],
    ['xn--a.example', 'an invalid A-label'],
    [`${'a'.repeat(64)}.example`, 'a label of 64 characters'],
    [`${'a.'.repeat(118)}example`, 'a name that is too long for the name of the record'],
    ['', 'an empty text'],
  ])('returns 400 for %j, %s', async (domain) => {
    const { status, json } = await owner.browser.post(domainsOf(owner), { domain });
    expect([status, json.error.code]).toEqual([400, 'invalid_input']);
  });

  it('accepts 20 domains per organization, not counting removed ones', async () => {
    const first = await addedDomain(owner, name);
    for (let index = 1; index < 20; index++) await addedDomain(owner, `${index}.${name}`);
    expect((await owner.browser.post(domainsOf(owner), { domain: `one-more.${name}` })).status).toBe(409);
    expect((await remove(owner, first)).status).toBe(204);
    await addedDomain(owner, name);
  });

  it('all requests require an owner, and writes also fresh authentication', async () => {
    const domain = await addedDomain(owner, name);
    const admin = await colleague(app, owner, 'admin');
    expect((await admin.browser.get(domainsOf(owner))).status).toBe(403);
    await setAuthTime(app, owner.session_id, after(app.clock.now(), -901));
    expect((await owner.browser.get(domainsOf(owner))).status).toBe(200);
    for (const answer of [
      await owner.browser.post(domainsOf(owner), { domain: `other.${name}` }),
      await verify(owner, domain),
      await remove(owner, domain),
    ]) {
      expect([answer.status, answer.json.error.code]).toEqual([401, 'mfa_required']);
    }
  });
});

describe('POST /orgs/:org_id/domains/:id/verify', () => {
  it('verifies a domain whose record is among others, and writes one audit row', async () => {
    const domain = await addedDomain(owner, name);
    const { value } = domain.record;
    dns.answers.set(domain.record.name, ['v=spf1 -all', [value.slice(0, 20), value.slice(20)]]);
    const { status, json } = await verify(owner, domain);
    const now = app.clock.now().toISOString();
    expect([status, json]).toEqual([200, { ...domain, status: 'verified', verified_at: now, checked_at: now }]);
    expect(await listed(owner)).toEqual([json]);
    app.clock.advance(60);
    expect((await verify(owner, domain)).json).toMatchObject({
      verified_at: now,
      checked_at: app.clock.now().toISOString(),
    });
    expect(await audited(domain)).toEqual([
      ['domain.added', 'user'],
      ['domain.verified', 'user'],
    ]);
  });

  it.each([
    ['no record', undefined, true],
    ['only other records', ['v=spf1 -all', 'gatehouse-domain=', ' '], true],
    ['a server that fails', 'servfail', false],
    ['a server that refuses the query', 'refused', false],
  ] as const)('returns 409 for %s', async (_, answer, isChecked) => {
    const domain = await addedDomain(owner, name);
    if (answer) dns.answers.set(domain.record.name, answer);
    const { status, json } = await verify(owner, domain);
    expect([status, json.error.code]).toEqual([409, 'conflict']);
    expect(json.error.message).toContain(isChecked ? 'was not found' : 'did not answer');
    const checked_at = isChecked ? app.clock.now().toISOString() : null;
    expect(await listed(owner)).toEqual([{ ...domain, checked_at }]);
  });

  it('does not accept the record of another organization, or of the parent domain', async () => {
    const [other, parent] = [await addedDomain(await founder(app), name), await addedDomain(owner, name)];
    const domain = await addedDomain(owner, `sub.${name}`);
    publish(dns, other);
    expect((await verify(owner, parent)).status).toBe(409);
    publish(dns, parent);
    expect((await verify(owner, parent)).status).toBe(200);
    expect((await verify(owner, domain)).status).toBe(409);
  });

  it('returns 409 while another organization has the domain, and says so only if the own record is published', async () => {
    const taken = await verifiedDomain(dns, owner, name);
    const other = await founder(app);
    const wanted = await addedDomain(other, name);
    expect((await verify(other, wanted)).json.error.message).toContain('was not found');
    publish(dns, wanted);
    expect(await verify(other, wanted)).toMatchObject({
      status: 409,
      json: { error: { message: 'another organization has verified this domain' } },
    });
    expect((await remove(owner, taken)).status).toBe(204);
    expect((await verify(other, wanted)).status).toBe(200);
    // The first organization can add the domain again, but not verify it.
    const again = await addedDomain(owner, name);
    expect(again.record.value).not.toBe(taken.record.value);
    publish(dns, again);
    expect((await verify(owner, again)).status).toBe(409);
  });

  it('a failed verify does not change a verified domain', async () => {
    const domain = await verifiedDomain(dns, owner, name);
    hide(domain);
    app.clock.advance(60);
    expect((await verify(owner, domain)).status).toBe(409);
    expect(await listed(owner)).toEqual([domain]);
  });

  it('returns 429 above the limit of the organization', async () => {
    const domain = await addedDomain(owner, name);
    const statuses = [];
    for (let index = 0; index < 13; index++) statuses.push((await verify(owner, domain)).status);
    expect(statuses).toEqual([...Array(12).fill(409), 429]);
  });
});

describe('DELETE /orgs/:org_id/domains/:id', () => {
  it('removes the domain; repeating it is 204, and a domain of another organization is 404', async () => {
    const domain = await verifiedDomain(dns, owner, name);
    const other = await founder(app);
    for (const id of [domain.id, uuid()]) {
      expect((await other.browser.send('DELETE', domainsOf(other, `/${id}`))).status).toBe(404);
      expect((await verify(other, { id })).status).toBe(404);
    }
    expect((await remove(owner, domain)).status).toBe(204);
    expect((await remove(owner, domain)).status).toBe(204);
    expect(await listed(owner)).toEqual([]);
    expect((await verify(owner, domain)).status).toBe(404);
    expect((await audited(domain)).map(([action]) => action)).toEqual([
      'domain.added',
      'domain.verified',
      'domain.removed',
    ]);
  });
});

describe('a connection that loses a domain', () => {
  it('loses its sessions when the domain is removed', async () => {
    const domain = await verifiedDomain(dns, owner, name);
    const hasEnded = await connect(app, owner, domain);
    expect((await remove(owner, domain)).status).toBe(204);
    expect(await hasEnded()).toBe(true);
  });

  it('loses its sessions when the domain lapses, and keeps the domain for when it is verified again', async () => {
    const domain = await verifiedDomain(dns, owner, name);
    const hasEnded = await connect(app, owner, domain);
    hide(domain);
    for (const days of [1, 6.9]) {
      app.clock.advance(days * DAY);
      await app.domainChecks.checkDue();
      expect(await hasEnded()).toBe(false);
    }
    app.clock.advance(DAY);
    await app.domainChecks.checkDue();
    expect(await hasEnded()).toBe(true);
    expect(await stored()).toMatchObject([{ domain: name, verified_at: null }]);
    publish(dns, domain);
    expect((await verify(await colleague(app, owner, 'owner'), domain)).status).toBe(200);
    expect(await stored()).toMatchObject([
      { domain: name, verified_at: app.clock.now(), connection_id: expect.any(String) },
    ]);
  });

  it('keeps its last domain while the policy requires single sign-on: 409', async () => {
    const [domain, other] = [await verifiedDomain(dns, owner, name), await verifiedDomain(dns, owner, `b.${name}`)];
    const hasEnded = await connect(app, owner, domain);
    await givePolicy(app, owner.organization_id, { sso_required: true });
    // The other domain does not count, because it has no connection.
    expect((await remove(owner, domain)).status).toBe(409);
    expect([await hasEnded(), (await listed(owner)).length]).toEqual([false, 2]);
    await connect(app, owner, other);
    expect((await remove(owner, domain)).status).toBe(204);
    expect((await remove(owner, other)).status).toBe(409);
    await givePolicy(app, owner.organization_id, {});
    expect((await remove(owner, other)).status).toBe(204);
  });
});

describe('the daily check of a domain', () => {
  beforeEach(() => app.deps.db.deleteFrom('domains').execute());

  /** Advances the clock by `days` and runs the checks that are due. Access tokens have expired by then. */
  const pass = async (days: number): Promise<Domain> => {
    app.clock.advance(days * DAY);
    await app.domainChecks.checkDue();
    const [row] = await stored();
    return describeDomain(row!);
  };
  const ownerAgain = (user = owner) => colleague(app, user, 'owner');
  const mails = async () => (await app.mailbox.take(owner.email)).map(({ subject }) => subject);

  it('looks the record up once a day', async () => {
    const { verified_at, record } = await verifiedDomain(dns, owner, name);
    const count = () => dns.asked.filter((asked) => asked === record.name).length;
    expect(count()).toBe(1);
    await pass(0.5);
    expect(count()).toBe(1);
    app.clock.advance(DAY / 2);
    await Promise.all([app.domainChecks.checkDue(), app.domainChecks.checkDue(), app.domainChecks.checkDue()]);
    const { checked_at } = await pass(0);
    expect([count(), checked_at]).toEqual([2, app.clock.now().toISOString()]);
    await pass(0);
    expect(count()).toBe(2);
    expect((await pass(1)).verified_at).toBe(verified_at);
    expect(count()).toBe(3);
  });

  it('mails the owners at the first failed check; a check that finds the record again clears failing_since', async () => {
    const admin = await colleague(app, owner, 'admin');
    const domain = await verifiedDomain(dns, owner, name);
    hide(domain);
    const failing_since = (await pass(1)).failing_since;
    expect(failing_since).toBe(app.clock.now().toISOString());
    expect(await mails()).toEqual([expect.stringContaining(`The DNS record for ${name.split('.')[0]}.`)]);
    expect(await app.mailbox.take(admin.email)).toEqual([]);
    expect(await pass(5)).toMatchObject({
      status: 'verified',
      failing_since,
      checked_at: app.clock.now().toISOString(),
    });
    expect(await mails()).toEqual([]);
    publish(dns, domain);
    expect(await pass(1)).toMatchObject({ status: 'verified', failing_since: null });
    hide(domain);
    expect((await pass(1)).failing_since).not.toBeNull();
    expect(await mails()).toHaveLength(1);
  });

  it('after 7 days without the record the domain is pending, and another organization can verify it', async () => {
    const domain = await verifiedDomain(dns, owner, name);
    const other = await founder(app);
    const wanted = await addedDomain(other, name);
    dns.answers.set(wanted.record.name, [wanted.record.value]);
    await pass(1);
    expect((await pass(6.99)).status).toBe('verified');
    expect((await verify(await ownerAgain(other), wanted)).status).toBe(409);
    expect(await pass(0.01)).toMatchObject({ status: 'pending', verified_at: null, failing_since: null });
    expect((await audited(domain)).at(-1)).toEqual(['domain.lapsed', 'system']);
    const [first, second] = [await ownerAgain(), await ownerAgain(other)];
    expect((await verify(second, wanted)).status).toBe(200);
    publish(dns, domain);
    expect((await verify(first, domain)).status).toBe(409);
    expect((await remove(second, wanted)).status).toBe(204);
    expect(await verify(first, domain)).toMatchObject({ status: 200, json: { status: 'verified' } });
  });

  it('a look-up without an answer is retried hourly, and counts as failed after a day without an answer', async () => {
    const { record, checked_at } = await verifiedDomain(dns, owner, name);
    dns.answers.set(record.name, 'servfail');
    for (const days of [1, 1 / 24, 0.9]) {
      expect(await pass(days)).toMatchObject({ status: 'verified', failing_since: null, checked_at });
    }
    expect(await mails()).toEqual([]);
    expect(await pass(0.1)).toMatchObject({ failing_since: app.clock.now().toISOString(), checked_at });
    expect(await mails()).toHaveLength(1);
    expect(await pass(6.9)).toMatchObject({ status: 'verified', checked_at });
    expect((await pass(0.1)).status).toBe('pending');
  });

  it('a domain that was verified or removed during its check stays as it is', async () => {
    const domain = await verifiedDomain(dns, owner, name);
    const removed = await verifiedDomain(dns, owner, `removed.${name}`);
    hide(domain);
    hide(removed);
    app.clock.advance(DAY);
    const again = await ownerAgain();
    const { find } = app.deps.txtLookup;
    const answers = new Map<string, readonly string[]>();
    // The daily look-up sees no record; before its result is stored, the owner verifies one domain and removes another.
    const lookup = {
      async find(key: string, asked: string) {
        const values = await find(key, asked);
        if (answers.has(asked)) return values;
        answers.set(asked, values ?? []);
        if (asked === domain.record.name) {
          publish(dns, domain);
          expect((await verify(again, domain)).status).toBe(200);
        } else expect((await remove(again, removed)).status).toBe(204);
        return values;
      },
    };
    Object.assign(app.deps.txtLookup, lookup);
    await app.domainChecks.checkDue();
    Object.assign(app.deps.txtLookup, { find });
    expect([...answers.values()]).toEqual([[], []]);
    expect(await listed(again)).toMatchObject([{ status: 'verified', failing_since: null }]);
  });
});
