import { createHmac } from 'node:crypto';
import { createCsrfToken } from '../../packages/server/src/http/csrf.ts';
import { createKeyring } from '../../packages/server/src/platform/crypto/keyring.ts';
import {
  ACCESS_TABLE,
  type AccessRow,
  isWrite,
  needsSession,
  OPTIONAL_SESSION,
} from '../../packages/server/test/access-table.ts';
import { createBrowser, newEmail, type TestUser } from '../../packages/server/test/browser.ts';
import { SECRET } from '../../packages/server/test/postgres.ts';

export interface Cast {
  readonly victim: TestUser;
  /** The cookies of another session of the victim. */
  readonly another: ReadonlyMap<string, string>;
  readonly forger: TestUser;
}

interface Attempt {
  /** The cookies that are sent after `service_at`. */
  readonly cookie?: string;
  readonly headers?: readonly (readonly [string, string])[];
  readonly query?: string;
}

const CSRF = 'x-service-csrf';

/** Attempts to write with the cookies of the victim, each with a wrong combination of CSRF header and CSRF cookie. */
export function csrfAttempts({ victim, another, forger }: Cast): Record<string, Attempt> {
  const right = victim.browser.jar.get('service_csrf')!;
  const foreign = forger.browser.jar.get('service_csrf')!;
  const [nonce, proof] = right.split('.') as [string, string];
  const both = (value: string): Attempt => ({ cookie: `service_csrf=${value}`, headers: [[CSRF, value]] });
  const own = `service_csrf=${right}`;
  const sha = (key: string, text: string) => createHmac('sha256', key).update(text).digest('base64url');
  return {
    'no header': { cookie: own },
    'an empty header': { cookie: own, headers: [[CSRF, '']] },
    'neither header nor cookie': {},
    'the right header without the cookie': { headers: [[CSRF, right]] },
    'the right header and an empty cookie': { cookie: 'service_csrf=', headers: [[CSRF, right]] },
    'the value of the forger in both': both(foreign),
    'the value of another session of the victim in both': both(another.get('service_csrf')!),
    'the value of the forger in the header': { cookie: own, headers: [[CSRF, foreign]] },
    'the value of the forger in the cookie': { cookie: `service_csrf=${foreign}`, headers: [[CSRF, right]] },
    'a made-up value in both': both('tossed'),
    'a made-up value of the right form': both(`${nonce}.${sha('secret', nonce)}`),
    'the nonce of the victim and the proof of the forger': both(`${nonce}.${foreign.split('.')[1]}`),
    'the nonce of the forger and the proof of the victim': both(`${foreign.split('.')[0]}.${proof}`),
    'a value made with JWT_SECRET itself': both(`${nonce}.${sha(SECRET, `${victim.session_id}\0${nonce}`)}`),
    'a value of another service': both(
      createCsrfToken(createKeyring('another secret of at least 32 characters'), victim.session_id),
    ),
    'no proof': both(`${nonce}.`),
    'no nonce': both(`.${proof}`),
    'the proof alone': both(proof),
    'the value cut by one letter': both(right.slice(0, -1)),
    'the value and one letter more': both(`${right}A`),
    'in capitals': both(right.toUpperCase()),
    'the header in quotes': { cookie: own, headers: [[CSRF, `"${right}"`]] },
    'the header twice': {
      cookie: own,
      headers: [
        [CSRF, right],
        [CSRF, right],
      ],
    },
    'the header twice, one of them invented': {
      cookie: own,
      headers: [
        [CSRF, right],
        [CSRF, 'x'],
      ],
    },
    'the cookie twice, the own one first, the own header': {
      cookie: `${own}; service_csrf=${foreign}`,
      headers: [[CSRF, right]],
    },
    'the cookie twice, the own one last, the own header': {
      cookie: `service_csrf=${foreign}; ${own}`,
      headers: [[CSRF, right]],
    },
    'the cookie twice, the own one first, the injected header': {
      cookie: `${own}; service_csrf=${foreign}`,
      headers: [[CSRF, foreign]],
    },
    'the cookie twice, the own one last, the injected header': {
      cookie: `service_csrf=${foreign}; ${own}`,
      headers: [[CSRF, foreign]],
    },
    'the cookie twice and the same': { cookie: `${own}; ${own}`, headers: [[CSRF, right]] },
    'the cookie under the name with a prefix': { cookie: `__Host-${own}`, headers: [[CSRF, right]] },
    'X-CSRF-Token': { cookie: own, headers: [['x-csrf-token', right]] },
    'X-XSRF-Token': { cookie: own, headers: [['x-xsrf-token', right]] },
    X_Service_CSRF: { cookie: own, headers: [['x_service_csrf', right]] },
    'in the query': { cookie: own, query: `?x-service-csrf=${right}&service_csrf=${right}&_csrf=${right}` },
    'the word null': both('null'),
    'the word undefined': both('undefined'),
    'the access token': both(victim.access_token),
    'the session id': both(victim.session_id),
    'X-Requested-With': { cookie: own, headers: [['x-requested-with', 'XMLHttpRequest']] },
    'our own Origin': {
      cookie: own,
      headers: [
        ['origin', 'http://localhost:8080'],
        ['sec-fetch-site', 'same-origin'],
      ],
    },
    'the right value, for the page of another user': {
      cookie: own,
      headers: [
        [CSRF, right],
        ['x-service-user', forger.user_id],
      ],
    },
  };
}

/** Cookie headers, and whether each contains exactly one access token, that of the victim. */
export function cookieHeaders({ victim, forger }: Cast): Record<string, [string | readonly string[], boolean]> {
  const own = victim.browser.jar.get('service_at')!;
  const other = forger.browser.jar.get('service_at')!;
  return {
    'as it should be': [`service_at=${own}`, true],
    'with blanks': [`  service_at = ${own}  ;`, true],
    'with empty parts': [`;;; ;service_at=${own};;`, true],
    'behind what is no cookie': [`x; =; y==; service_at=${own}`, true],
    'in the old form': [`$Version=1; service_at=${own}; $Path=/`, true],
    'behind many others': [`${'a=b; '.repeat(500)}service_at=${own}`, true],
    'with eight bits before it': [`a=\xff\xfe; service_at=${own}`, true],
    'two cookies, the own one first': [`service_at=${own}; service_at=${other}`, false],
    'two cookies, the own one last': [`service_at=${other}; service_at=${own}`, false],
    'two of them, one empty': [`service_at=; service_at=${own}`, false],
    'two of them, the same': [`service_at=${own}; service_at=${own}`, false],
    'two headers': [[`service_at=${own}`, `service_at=${other}`], false],
    'two headers, the own one last': [[`service_at=${other}`, `service_at=${own}`], false],
    'two of them by a comma': [`service_at=${own},service_at=${other}`, false],
    'no value': ['service_at=', false],
    'no equals sign': ['service_at', false],
    'no name': [`=${own}`, false],
    'two equals signs': [`service_at==${own}`, false],
    'in quotes': [`service_at="${own}"`, false],
    'one quote': [`service_at="${own}`, false],
    encoded: [`service_at=${encodeURIComponent(own).replaceAll('.', '%2E')}`, false],
    'an encoded name': [`service%5Fat=${own}`, false],
    'another case': [`SERVICE_AT=${own}`, false],
    'a name that ends alike': [`xservice_at=${own}`, false],
    'a name that begins alike': [`service_atx=${own}`, false],
    'a prefix': [`__Host-service_at=${own}`, false],
    'another prefix': [`__Secure-service_at=${own}`, false],
    'a no-break space before it': [`\xa0service_at=${own}`, false],
    'inside another': [`a="x; service_atx=${own}"`, false],
    'a sub-cookie': [`a=service_at=${own}`, false],
    'a list': [`service_at[]=${own}`, false],
    'the prototype': [`__proto__=${own}; constructor=${own}`, false],
    'the refresh token': [`service_at=${victim.browser.jar.get('service_rt')}`, false],
    'only semicolons': [';'.repeat(4000), false],
    'only equals signs': ['='.repeat(4000), false],
    'only blanks and names': [' service_at'.repeat(300), false],
  };
}

/** Content types, including ones that a page of another site cannot send. */
export const CONTENT_TYPES: readonly (string | undefined)[] = [
  'application/json',
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  undefined,
  'application/json; charset=utf-7',
  'text/plain; application/json',
  'APPLICATION/JSON',
  '*/*',
  'x',
];

export const WRITES: readonly AccessRow[] = ACCESS_TABLE.filter(
  (row) => isWrite(row) && (needsSession(row) || OPTIONAL_SESSION.has(row.route)),
);

/** Bodies with which a request would change something. */
const BODIES: Readonly<Record<string, object>> = {
  'PATCH /users/me': { display_name: 'forged' },
  'DELETE /users/me': { password: 'correct horse battery staple' },
  'POST /users/me/password': { current_password: 'correct horse battery staple', new_password: 'forged password' },
  'POST /users/me/email': { email: 'forged@example.com', password: 'correct horse battery staple' },
  'POST /orgs/:org_id/invitations': { email: 'forged@example.com', role: 'member' },
  'POST /admin/orgs': {
    organization_name: 'Forged',
    owner_email: 'forged@example.com',
    owner_password: 'correct horse battery staple',
  },
  'PUT /admin/feature-flags': { flag_key: 'forged', enabled: true },
  'PUT /admin/integrations/:provider': { enabled: true, public_config: { client_id: 'forged' } },
  'POST /auth/mfa/disable': { password: 'correct horse battery staple' },
  'POST /auth/mfa/recovery-codes': { password: 'correct horse battery staple' },
  'PATCH /admin/orgs/:id': { suspended: true },
};

interface Write {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly body: string;
}

/** Turns a row of the access table into a request for existing objects, as far as the victim has them. */
export function asWrite(row: AccessRow, { victim, forger }: Cast): Write {
  const ids: Record<string, string> = {
    org_id: victim.organization_id,
    user_id: forger.user_id,
    provider: 'oauth_a',
    flag_key: 'none',
    id: row.path.startsWith('/admin/orgs') ? forger.organization_id : forger.user_id,
  };
  if (row.path.startsWith('/auth/sessions')) ids.id = victim.session_id;
  const path = row.path.replaceAll(/:(\w+)(?:=[a-z-]+)?/g, (_, name) => ids[name]!);
  const body = JSON.stringify(BODIES[row.route] ?? JSON.parse(row.body ?? '{}'))
    .replaceAll('@new', () => newEmail())
    .replaceAll('@home', victim.organization_id);
  return { name: `${row.method} ${row.path} ${row.body ?? ''}`.trim(), method: row.method, path: `/v1${path}`, body };
}

export const nameOf = async (url: string, { access_token }: TestUser): Promise<string | null> =>
  (await createBrowser(url).get('/users/me', { headers: { authorization: `Bearer ${access_token}` } })).json
    .display_name;
