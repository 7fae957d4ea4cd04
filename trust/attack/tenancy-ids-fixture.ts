import { NIL_UUID } from '@gatehouse/contract';
import { v7 as uuid } from 'uuid';
import { sampleOf } from '../../packages/server/src/features/api-reference/sample.ts';
import type { JsonSchema } from '../../packages/server/src/http/openapi-document.ts';
import type { Route } from '../../packages/server/src/http/route.ts';
import { bearer, createBrowser } from '../../packages/server/test/browser.ts';
import { insertSession } from '../../packages/server/test/harness.ts';
import { isFull } from '../effort.ts';
import { cases } from '../ledger.ts';
import { listQuietTables } from '../tables-fixture.ts';
import { type Belongings, endAll, ownAll } from './tenancy-belongings-fixture.ts';
import type { Tenants } from './tenancy-fixture.ts';
import { changedTables, stateOf } from './unchanged-fixture.ts';

type InsertedSession = Awaited<ReturnType<typeof insertSession>>;

type Kind = keyof Belongings;

interface Place {
  readonly method: string;
  /** `@home` is the organization of the caller, `@self` the caller, `@id` the id under attack. */
  readonly path: string;
  readonly body?: string;
  readonly takes: Kind;
  /** The status if the id is in a list in the body, where an unknown one is invalid. */
  readonly refusal?: 400;
}

/** Requests with an id in the query or in the body. Those with an id in the path are read from the routes. */
const BESIDE_THE_PATH: readonly Place[] = [
  { method: 'POST', path: '/auth/organization', body: '{"organization_id":"@id"}', takes: 'organization' },
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
  { method: 'PUT', path: '/orgs/@home/members/@self/roles', body: '{"role_ids":["@id"]}', takes: 'role', refusal: 400 },
  {
    method: 'POST',
    path: '/orgs/@home/invitations',
    body: '{"email":"new@example.com","role":"member","role_ids":["@id"]}',
    takes: 'role',
    refusal: 400,
  },
  {
    method: 'POST',
    path: '/orgs/@home/service-accounts',
    body: '{"name":"Import","role_ids":["@id"]}',
    takes: 'role',
    refusal: 400,
  },
  {
    method: 'POST',
    path: '/orgs/@home/sso-connections',
    body: '{"name":"Example","issuer":"https://login.example.com","client_id":"gatehouse","role_ids":["@id"]}',
    takes: 'role',
    refusal: 400,
  },
  { method: 'GET', path: '/audit-logs?organization_id=@id', takes: 'organization' },
  { method: 'GET', path: '/audit-logs?resource_id=@id', takes: 'user' },
];

/** The kind of an id in a path, by the segment before it. */
const NAMED_BY: Readonly<Record<string, Kind>> = {
  applications: 'application',
  deliveries: 'delivery',
  domains: 'domain',
  identities: 'identity',
  invitations: 'invitation',
  members: 'user',
  'oauth-interactions': 'interaction',
  orgs: 'organization',
  passkeys: 'passkey',
  roles: 'role',
  secrets: 'secret',
  'service-accounts': 'service_account',
  keys: 'api_key',
  sessions: 'session',
  'sso-connections': 'sso_connection',
  'trusted-browsers': 'trusted_browser',
  users: 'user',
  webhooks: 'webhook',
};

/** Used instead of the schema's sample, which a guard would refuse before the lookup, or which changes nothing. */
const BODIES: Readonly<Record<string, string>> = {
  'PATCH /orgs/:org_id/members/:user_id': '{"role":"member"}',
  'PATCH /orgs/:org_id/service-accounts/:id': '{"name":"Another"}',
  'PATCH /admin/users/:id': '{"status":"disabled"}',
  'PUT /admin/users/:id/platform-role': '{"role":"owner"}',
};

/** The last id of a path is attacked. The first id is the caller's organization, any other the object's `@parent`. */
function placesIn(routes: Iterable<Route>): Place[] {
  const taking = [...routes].filter(({ path, atBase }) => !atBase && /:(id|org_id|user_id|delivery_id)\b/.test(path));
  return taking.map(({ method, path, body }) => {
    const [, before = '', segment = ''] = /^(.*\/([a-z-]+))\/:\w+(?!.*:)/.exec(path) ?? [];
    const takes = NAMED_BY[segment];
    if (!takes) throw new Error(`${method} ${path}: add the kind of the id to NAMED_BY`);
    const rest = path.slice(before.length).replace(/:\w+/, '@id');
    const sample = () => JSON.stringify(sampleOf(body as JsonSchema, { requiredOnly: true }));
    return {
      method: String(method),
      path: before.replace(/:\w+/, '@home').replace(/:\w+/, '@parent') + rest,
      takes,
      ...(body && { body: BODIES[`${method} ${path}`] ?? sample() }),
    };
  });
}

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

export function tryIds(current: () => Tenants): void {
  const ask = async (
    url: string,
    { access_token, organization_id, user_id }: InsertedSession,
    { method, path, body }: Place,
    id: string,
  ) => {
    const fill = (text: string) =>
      text.replaceAll('@home', organization_id).replaceAll('@self', user_id).replaceAll('@id', id);
    return createBrowser(url).send(method, fill(path), {
      ...bearer(access_token),
      ...(body !== undefined && { body: fill(body) }),
    });
  };

  cases('ids of other organizations and users are refused for every role', async (ledger) => {
    const { replicas, localApp, routes } = current();
    const kept = (await listQuietTables(replicas.database)).filter((table) => table !== 'bus_events');
    localApp.clock.set(new Date());
    const [others, gone] = [await ownAll(current()), await ownAll(current())];
    await endAll(current(), gone);
    const places = [...placesIn(routes.values()), ...BESIDE_THE_PATH].map((place) => ({
      ...place,
      path: place.path.replace('@parent', place.takes === 'delivery' ? others.webhook : others.service_account),
    }));
    const home = await insertSession(localApp);
    const { organization_id } = home;
    const roles: [string, InsertedSession][] = [
      ['member', await insertSession(localApp, { organization_id, role: 'member' })],
      ['admin', await insertSession(localApp, { organization_id, role: 'admin' })],
      ['owner', home],
    ];
    const before = await stateOf(replicas.database, kept, 'last_used_at');
    let asked = 0;
    for (const place of places) {
      // Only an owner passes the guards before an id in the caller's own organization is looked up.
      const one = place.path.includes('@home') ? 2 : asked % 3;
      for (const [role, caller] of isFull ? roles : [roles[one]!]) {
        const url = replicas.either(asked++);
        const unknownId = await ask(url, caller, place, uuid());
        const ids = [
          ['of another', others[place.takes]],
          ['of another, in capitals', others[place.takes].toUpperCase()],
          ['of another, and gone', gone[place.takes]],
        ] as const;
        for (const [name, id] of isFull || asked % 2 ? ids : [ids[0], ids[2]]) {
          await ledger.attempt(`${place.method} ${place.path} ${name}, as ${role}`, async () => {
            const { status, text } = await ask(url, caller, place, id);
            if (status !== 403 && status !== (place.refusal ?? 404)) return `${status} ${text}`;
            // The response must equal the one for an unknown id.
            return text === unknownId.text && status === unknownId.status
              ? undefined
              : `${text}, and of nobody's ${unknownId.text}`;
          });
        }
        const blank = [['a blank behind it', `${others[place.takes]}%20`]] as const;
        const odd = [...ODD, ...blank];
        for (const [name, id] of isFull ? odd : [odd[asked % odd.length]!]) {
          await ledger.attempt(`${place.method} ${place.path} ${name}, as ${role}`, async () => {
            const { status, text } = await ask(url, caller, place, id);
            return [400, 403, 404].includes(status) ? undefined : `${status} ${text}`;
          });
        }
      }
    }
    await ledger.attempt('these requests have changed no row', async () => {
      const changed = changedTables(before, await stateOf(replicas.database, kept, 'last_used_at'));
      return changed.length === 0 ? undefined : changed.join(', ');
    });
    await ledger.attempt('every place was found', async () =>
      places.length >= 25 ? undefined : `${places.length} places`,
    );
  });
}
