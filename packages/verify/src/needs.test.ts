import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { permissionsOf } from '../../server/src/domain/kernel/permissions.ts';
import { admit } from './admit.ts';
import type { Needs } from './needs.ts';
import type { ServicePermission } from './permission.ts';
import { createService, ISSUER, type Service, signToken } from './service-fixture.ts';
import { createVerifier, type Verifier } from './verifier.ts';

let service: Service;
let verifier: Verifier;
beforeEach(() => {
  service = createService();
  verifier = createVerifier({ issuer: ISSUER, fetch: service.fetch });
});
afterEach(() => verifier.close());

const account = { sub: randomUUID(), org: randomUUID(), sid: randomUUID() };
const verified = () => signToken(account);
const unverified = () => signToken({ ...account, email_verified: false });
const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'accepted',
    (error) => error.code,
  );
const answerSession = (permissions: string[]) => {
  const user = { user_id: account.sub, organization_id: account.org, session_family_id: account.sid };
  service.session = {
    user: { ...user, mfa_verified_at: new Date().toISOString() },
    capabilities: { role: 'member', permissions, platform_role: null },
  };
};

describe('verifier.require', () => {
  it('every call of the verifier that `require` returns accepts only sessions that meet all needs', async () => {
    answerSession(['members.invite']);
    const narrowed = verifier.require({ verifiedEmail: true });
    const calls: ((token: string) => Promise<unknown>)[] = [
      (token) => narrowed.verify(token),
      (token) => narrowed.lookUp(token),
      (token) => narrowed.requirePermission(token, 'members.invite'),
      (token) => narrowed.requireStepUp(token, 300),
      (token) => admit(narrowed, `Bearer ${token}`),
    ];
    for (const call of calls) {
      expect(await codeOf(call(verified()))).toBe('accepted');
      expect(await codeOf(call(unverified()))).toBe('forbidden');
    }
  });

  it('`require` does not change the verifier that it is called on', async () => {
    verifier.require({ verifiedEmail: true });
    expect(await codeOf(verifier.verify(unverified()))).toBe('accepted');
  });

  it('`require` combines the needs of repeated calls', async () => {
    const both = verifier.require({ verifiedEmail: true }).require({ aal: 'aal2' });
    expect(await codeOf(both.verify(verified()))).toBe('step_up_required');
    expect(await codeOf(both.verify(signToken({ aal: 'aal2', email_verified: false })))).toBe('forbidden');
    expect(await codeOf(both.verify(signToken({ aal: 'aal2' })))).toBe('accepted');
  });

  it('`require` accepts the same needs as routes: permission, organization, recent sign-in and recent second factor', async () => {
    answerSession(['members.invite']);
    const needs: [Needs, string][] = [
      [{ permission: 'members.invite' }, 'accepted'],
      [{ permission: 'members.remove' }, 'forbidden'],
      [{ organization: account.org }, 'accepted'],
      [{ organization: randomUUID() }, 'forbidden'],
      [{ signedInWithin: 900 }, 'accepted'],
      [{ steppedUpWithin: 300 }, 'accepted'],
    ];
    for (const [need, code] of needs) expect(await codeOf(verifier.require(need).verify(verified()))).toBe(code);
  });

  describe('permission', () => {
    const may = (permission: string, claims: Record<string, unknown>) =>
      codeOf(verifier.require({ permission }).verify(signToken({ ...account, ...claims })));

    it('of the product is read from the token, without a request to the service', async () => {
      const claims = { perms: ['invoices.pay', 'invoices.read'], perms_at: Date.now() };
      expect(await may('invoices.read', claims)).toBe('accepted');
      expect(await may('invoices.write', claims)).toBe('forbidden');
      expect(await may('invoices', claims)).toBe('forbidden');
      expect(await may('invoices.read', { ...claims, perms: [] })).toBe('forbidden');
      expect(service.count('session')).toBe(0);
    });

    it.each([
      ['because they are too long', { perms_omitted: true, perms_at: Date.now() }],
      ['because the service is older', {}],
      ['although it lists some', { perms: ['invoices.write'], perms_omitted: true }],
    ])('of the product is looked up if the token does not contain all, %s', async (_, claims) => {
      answerSession(['invoices.read']);
      expect(await may('invoices.read', claims)).toBe('accepted');
      expect(await may('invoices.write', claims)).toBe('forbidden');
      expect(service.count('session')).toBe(2);
      service.alter = (path) => (path === 'session' ? Response.json({}, { status: 500 }) : undefined);
      expect(await may('invoices.read', claims)).toBe('service_unreachable');
    });

    it.each(['org', 'members', 'audit', 'roles', 'machines', 'webhooks', 'policy', 'sso'])(
      'of the service is looked up, because tokens do not contain it: %s',
      async (segment) => {
        answerSession([`${segment}.read`]);
        expect(await may(`${segment}.read`, { perms: [] })).toBe('accepted');
        expect(await may(`${segment}.write`, { perms: [] })).toBe('forbidden');
      },
    );
  });

  it('`require` throws for an unknown need', () => {
    expect(() => verifier.require({ verifiedMail: true } as Needs)).toThrow('require: unknown need: verifiedMail');
  });

  it('`require` checks a need even if its value is undefined', async () => {
    const lost = verifier.require({ verifiedEmail: undefined } as unknown as Needs);
    expect(await codeOf(lost.verify(unverified()))).toBe('forbidden');
  });
});

describe('the need `role`', () => {
  it.each([
    ['owner', 'admin', 'accepted'],
    ['admin', 'admin', 'accepted'],
    ['member', 'admin', 'forbidden'],
    ['machine', 'member', 'forbidden'],
    ['auditor', 'member', 'forbidden'],
  ] as const)('a token with the role %s, if %s is required, is %s', async (role, needed, outcome) => {
    expect(await codeOf(verifier.require({ role: needed }).verify(signToken({ ...account, role })))).toBe(outcome);
    expect(service.count('session')).toBe(0);
  });

  it('the service is called for a token without a role', async () => {
    answerSession([]);
    expect(await codeOf(verifier.require({ role: 'member' }).verify(verified()))).toBe('accepted');
    expect(await codeOf(verifier.require({ role: 'owner' }).verify(verified()))).toBe('forbidden');
  });

  it('an unknown role in `needs` throws a TypeError that names it', async () => {
    const misspelled = verifier.require({ role: 'onwer' as 'owner' });
    await expect(misspelled.verify(signToken({ ...account, role: 'owner' }))).rejects.toThrow('"onwer"');
  });
});

describe('errors', () => {
  it.each([
    ['iss', { iss: 'https://elsewhere.example' }, `is "https://elsewhere.example", not "${ISSUER}"`],
    ['typ', { typ: 'refresh' }, 'is "refresh", not "access"'],
    ['aud', { aud: 'shop' }, 'is "shop", not missing'],
    ['aal', { aal: 'aal3' }, 'is "aal3", which is not valid'],
    ['sub', { sub: 'x'.repeat(500) }, `is "${'x'.repeat(99)}…, which is not valid`],
  ])('a rejected %s is named with the found and the expected value', async (_, claims, words) => {
    await expect(verifier.verify(signToken(claims))).rejects.toThrow(words);
  });

  it('`ready` names both issuers if the service has another one, and compares them once if they are equal', async () => {
    service.issuer = 'https://login.example.com';
    const found = `issuer: is "${ISSUER}", but the service at ${ISSUER} is "https://login.example.com"`;
    await expect(verifier.ready()).rejects.toThrow(found);
    service.issuer = ISSUER;
    await verifier.ready();
    await verifier.ready();
    expect(service.count('discovery')).toBe(2);
  });

  it('`ready` rejects with service_unreachable if the discovery document cannot be read', async () => {
    service.alter = (path) => (path === 'discovery' ? new Response('down', { status: 502 }) : undefined);
    expect(await codeOf(verifier.ready())).toBe('service_unreachable');
  });
});

it('the type ServicePermission contains every permission of an owner', () => {
  const known: Record<ServicePermission, true> = {
    'audit.read': true,
    'machines.manage': true,
    'members.invite': true,
    'members.list': true,
    'members.remove': true,
    'members.update_role': true,
    'org.read': true,
    'org.update': true,
    'policy.manage': true,
    'roles.manage': true,
    'sso.manage': true,
    'webhooks.manage': true,
  };
  expect(permissionsOf({ role: 'owner', held: null }).filter((name) => !(name in known))).toEqual([]);
});
