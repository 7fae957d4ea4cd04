import { NIL_UUID } from '@gatehouse/contract';
import { v7 as uuid } from 'uuid';
import { bearer, createBrowser } from '../../packages/server/test/browser.ts';
import { insertSession } from '../../packages/server/test/harness.ts';
import { isFull } from '../effort.ts';
import { cases } from '../ledger.ts';
import { type Belongings, endAll, ownAll } from './tenancy-belongings-fixture.ts';
import type { Tenants } from './tenancy-fixture.ts';
import { changedTables, stateOf } from './unchanged-fixture.ts';

type Someone = Awaited<ReturnType<typeof insertSession>>;

type Kind = keyof Belongings;

interface Place {
  readonly method: string;
  /** `@home` is the organization of whoever asks, `@id` what is tried. */
  readonly path: string;
  readonly body?: string;
  readonly takes: Kind;
}

/** Every place where an id is taken. */
const PLACES: readonly Place[] = [
  { method: 'PATCH', path: '/users/me/passkeys/@id', body: '{"name":"x"}', takes: 'passkey' },
  { method: 'DELETE', path: '/users/me/passkeys/@id', takes: 'passkey' },
  { method: 'DELETE', path: '/users/me/identities/@id', takes: 'identity' },
  { method: 'DELETE', path: '/auth/sessions/@id', takes: 'session' },
  { method: 'DELETE', path: '/auth/trusted-browsers/@id', takes: 'trusted_browser' },
  { method: 'GET', path: '/users/@id', takes: 'user' },
  { method: 'PATCH', path: '/admin/users/@id', body: '{"status":"disabled"}', takes: 'user' },
  { method: 'DELETE', path: '/admin/users/@id', takes: 'user' },
  { method: 'DELETE', path: '/admin/users/@id/sessions', takes: 'user' },
  { method: 'POST', path: '/admin/users/@id/mfa/reset', takes: 'user' },
  { method: 'PUT', path: '/admin/users/@id/platform-role', body: '{"role":"owner"}', takes: 'user' },
  { method: 'GET', path: '/orgs/@id/members', takes: 'organization' },
  { method: 'GET', path: '/orgs/@id/invitations', takes: 'organization' },
  {
    method: 'POST',
    path: '/orgs/@id/invitations',
    body: '{"email":"x@example.com","role":"member"}',
    takes: 'organization',
  },
  { method: 'PATCH', path: '/orgs/@home/members/@id', body: '{"role":"member"}', takes: 'user' },
  { method: 'DELETE', path: '/orgs/@home/members/@id', takes: 'user' },
  { method: 'DELETE', path: '/orgs/@home/invitations/@id', takes: 'invitation' },
  { method: 'POST', path: '/orgs/@home/invitations/@id/resend', takes: 'invitation' },
  { method: 'GET', path: '/admin/orgs/@id', takes: 'organization' },
  { method: 'PATCH', path: '/admin/orgs/@id', body: '{"name":"x","suspended":true}', takes: 'organization' },
  {
    method: 'POST',
    path: '/auth/organization',
    body: '{"organization_id":"@id"}',
    takes: 'organization',
  },
  { method: 'GET', path: '/admin/feature-flags?organization_id=@id', takes: 'organization' },
  { method: 'DELETE', path: '/admin/feature-flags/none?organization_id=@id', takes: 'organization' },
  {
    method: 'PUT',
    path: '/admin/feature-flags',
    body: '{"flag_key":"x","enabled":true,"organization_id":"@id"}',
    takes: 'organization',
  },
  { method: 'GET', path: '/admin/users?organization_id=@id', takes: 'organization' },
  { method: 'GET', path: '/audit-logs?user_id=@id', takes: 'user' },
];

/** Ids that nobody has, or that are none. */
const ODD: readonly [string, string][] = [
  ['nil', NIL_UUID],
  ['all ones', 'ffffffff-ffff-ffff-ffff-ffffffffffff'],
  ['a number', '1'],
  ['a path', '..%2f..%2fadmin'],
  ['NUL', '%00'],
  ['SQL', '%27%20or%201=1--'],
  ['a wildcard', '*'],
  ['a percent sign', '%25'],
  ['too long', 'a'.repeat(90)],
  ['braces', '%7B00000000-0000-0000-0000-000000000000%7D'],
  ['no hyphens', '01890000000070008000000000000000'],
  ['full width', '%EF%BC%90'],
];

const KEPT = [
  'users',
  'organizations',
  'memberships',
  'sessions',
  'passkeys',
  'identities',
  'trusted_browsers',
  'invitations',
  'feature_flags',
  'provider_configs',
  'totp_secrets',
  'one_time_tokens',
  'mails',
  'audit_events',
  'revocations',
];

/** Ids of others, wherever an id is taken. */
export function tryIds(current: () => Tenants): void {
  const ask = async (
    url: string,
    { access_token, organization_id }: Someone,
    { method, path, body }: Place,
    id: string,
  ) => {
    const fill = (text: string) => text.replaceAll('@home', organization_id).replaceAll('@id', id);
    return createBrowser(url).send(method, fill(path), {
      ...bearer(access_token),
      ...(body !== undefined && { body: fill(body) }),
    });
  };

  cases('ids of another organization and of other people, for every role', async (ledger) => {
    const { replicas, backstage } = current();
    backstage.clock.set(new Date());
    const [others, gone] = [await ownAll(current()), await ownAll(current())];
    await endAll(current(), gone);
    const home = await insertSession(backstage);
    const { organization_id } = home;
    const roles: [string, Someone][] = [
      ['member', await insertSession(backstage, { organization_id, role: 'member' })],
      ['admin', await insertSession(backstage, { organization_id, role: 'admin' })],
      ['owner', home],
    ];
    const before = await stateOf(replicas.database, KEPT);
    let asked = 0;
    for (const place of PLACES) {
      for (const [role, caller] of isFull ? roles : [roles[asked % 3]!]) {
        const url = replicas.either(asked++);
        const nobodys = await ask(url, caller, place, uuid());
        const ids = [
          ['of another', others[place.takes]],
          ['of another, in capitals', others[place.takes].toUpperCase()],
          ['of another, and gone', gone[place.takes]],
        ] as const;
        for (const [name, id] of ids) {
          await ledger.attempt(`${place.method} ${place.path} ${name}, as ${role}`, async () => {
            const { status, text } = await ask(url, caller, place, id);
            if (status !== 403 && status !== 404) return `${status} ${text}`;
            // Word for word what is said of an id that nobody has.
            return text === nobodys.text && status === nobodys.status
              ? undefined
              : `${text}, and of nobody's ${nobodys.text}`;
          });
        }
        const blank = [['a blank behind it', `${others[place.takes]}%20`]] as const;
        for (const [name, id] of isFull ? [...ODD, ...blank] : [ODD[asked % ODD.length]!, ...blank]) {
          await ledger.attempt(`${place.method} ${place.path} ${name}, as ${role}`, async () => {
            const { status, text } = await ask(url, caller, place, id);
            return [400, 403, 404].includes(status) ? undefined : `${status} ${text}`;
          });
        }
      }
    }
    await ledger.attempt('not a row has changed by all that', async () => {
      const changed = changedTables(before, await stateOf(replicas.database, KEPT));
      return changed.length === 0 ? undefined : changed.join(', ');
    });
    await ledger.attempt('every place where the document has an id was tried', async () => {
      const document = (await (await fetch(`${replicas.either(0)}/openapi.json`)).json()) as {
        paths: Record<string, Record<string, unknown>>;
      };
      const tried = new Set(
        PLACES.map(({ method, path }) => `${method} ${path.split('?')[0]!.replaceAll(/@\w+/g, '*')}`),
      );
      const taking = Object.entries(document.paths).flatMap(([path, operations]) =>
        /\{(id|org_id|user_id)\}/.test(path)
          ? Object.keys(operations).map(
              (method) => `${method.toUpperCase()} ${path.replace('/v1', '').replaceAll(/\{\w+\}/g, '*')}`,
            )
          : [],
      );
      const missing = taking.filter((one) => /^(GET|POST|PUT|PATCH|DELETE) /.test(one) && !tried.has(one));
      return taking.length > 15 && missing.length === 0 ? undefined : `missing: ${missing.join(', ')}`;
    });
  });
}
