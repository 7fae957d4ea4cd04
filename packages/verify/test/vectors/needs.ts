import type { VectorCheck, VectorFile, VectorNeeds, VectorRequest, VectorResponse } from './format.ts';
import {
  ADA,
  APPLICATION_KEY,
  AUDIENCE,
  accepted,
  acceptedGrant,
  type Claims,
  claimsOf,
  KEY,
  publicJwk,
  refused,
  signGrant,
  signToken,
  uuidOf,
} from './sign.ts';
import { check, createPolls, oneKeyRequest, scenario, time } from './timeline.ts';

const FORBIDDEN = refused('forbidden');
const STEP_UP = refused('step_up_required');
const UNAVAILABLE = refused('service_unreachable');

const meets = (about: string, needs: VectorNeeds, changes: Claims = {}): VectorCheck =>
  check(0, about, signToken(claimsOf(changes)), accepted(changes), needs);
const lacks = (about: string, needs: VectorNeeds, changes: Claims = {}, verdict = FORBIDDEN): VectorCheck =>
  check(0, about, signToken(claimsOf(changes)), verdict, needs);

const MACHINE = {
  email: undefined,
  email_verified: undefined,
  auth_method: 'api_key',
  role: 'machine',
  scope: 'invoices.read members.list',
  perms: ['invoices.read', 'invoices.write'],
};

const BY_TOKEN = [
  meets('the organization of the session', { organization: ADA.org }),
  meets('the organization in upper case', { organization: ADA.org.toUpperCase() }),
  lacks('another organization', { organization: uuidOf('other organization') }),
  lacks('an empty organization', { organization: '' }),
  meets('the role itself', { role: 'member' }),
  meets('a higher role', { role: 'member' }, { role: 'owner' }),
  meets('admin where admin is required', { role: 'admin' }, { role: 'admin' }),
  lacks('a lower role', { role: 'admin' }),
  lacks('admin where owner is required', { role: 'owner' }, { role: 'admin' }),
  lacks('a role of a later version', { role: 'member' }, { role: 'auditor' }),
  lacks('a machine has no role of a user', { role: 'member' }, MACHINE),
  meets('a permission of the product', { permission: 'invoices.read' }),
  lacks('a permission that the token lacks', { permission: 'invoices.write' }),
  lacks('a part of a permission', { permission: 'invoices' }),
  lacks('no permissions', { permission: 'invoices.read' }, { perms: [] }),
  meets('a permission within the scope of a machine', { permission: 'invoices.read' }, MACHINE),
  meets('a permission of the service within the scope of a machine', { permission: 'members.list' }, MACHINE),
  lacks('a permission outside of the scope', { permission: 'invoices.write' }, MACHINE),
  lacks('a permission of the service outside of the scope', { permission: 'members.invite' }, MACHINE),
  lacks('an empty scope', { permission: 'invoices.read' }, { ...MACHINE, scope: '' }),
  lacks('a scope that the roles do not include', { permission: 'reports.read' }, { ...MACHINE, scope: 'reports.read' }),
  meets('a verified email', { verified_email: true }),
  lacks('an email that is not verified', { verified_email: true }, { email_verified: false }),
  lacks('a token without email_verified', { verified_email: true }, { email_verified: undefined }),
  lacks('a machine has no email', { verified_email: true }, MACHINE),
  meets('aal2', { aal: 'aal2' }, { aal: 'aal2' }),
  lacks('aal1 where aal2 is required', { aal: 'aal2' }, {}, STEP_UP),
  lacks('a machine has no second factor', { aal: 'aal2' }, MACHINE),
  meets('signed in 600 seconds ago', { signed_in_within: 600 }),
  lacks('signed in 600 seconds ago, and 599 are allowed', { signed_in_within: 599 }, {}, STEP_UP),
  lacks('a machine does not sign in', { signed_in_within: 3_600 }, MACHINE),
  lacks('a machine does not step up', { stepped_up_within: 3_600 }, MACHINE),
  meets('several needs', { organization: ADA.org, permission: 'invoices.read', verified_email: true }),
  lacks('one of several', { organization: ADA.org, permission: 'invoices.read', aal: 'aal2' }, {}, STEP_UP),
  lacks('the role is checked before the second factor', { role: 'owner', aal: 'aal2' }),
  lacks('the organization is checked first', { organization: uuidOf('x'), aal: 'aal2' }),
];

const GRANTS = [
  check(0, 'a scope', signGrant(), acceptedGrant(), { permission: 'invoices.read' }),
  check(0, 'not in the scope', signGrant(), FORBIDDEN, { permission: 'invoices.write' }),
  check(0, 'a permission of the service', signGrant(), FORBIDDEN, { permission: 'members.list' }),
  check(0, 'a role: the token names none', signGrant(), FORBIDDEN, { role: 'member' }),
  check(0, 'a verified email: the token names none', signGrant(), FORBIDDEN, { verified_email: true }),
  check(0, 'aal2', signGrant({ acr: 'aal2' }), acceptedGrant({ acr: 'aal2' }), { aal: 'aal2' }),
  check(0, 'aal1', signGrant(), STEP_UP, { aal: 'aal2' }),
  check(0, 'a step-up cannot be looked up', signGrant(), FORBIDDEN, { stepped_up_within: 300 }),
];

const TOKEN = signToken();
const session = (at: number, response: VectorResponse | null, token = TOKEN): VectorRequest => ({
  at,
  path: '/v1/auth/session',
  authorization: `Bearer ${token}`,
  response,
});
const current = (permissions: readonly string[], user: Claims = {}): VectorResponse => ({
  status: 200,
  body: {
    user: {
      user_id: ADA.sub,
      organization_id: ADA.org,
      session_family_id: ADA.sid,
      mfa_verified_at: null,
      ...user,
    },
    capabilities: { role: 'member', permissions, platform_role: null },
  },
});
const INVITE = { permission: 'members.invite' };
const LONG = { perms: undefined, perms_omitted: true };
const LONG_TOKEN = signToken(claimsOf(LONG));

const NO_ROLE = { role: undefined };
const NO_ROLE_TOKEN = signToken(claimsOf(NO_ROLE));

const lookUp = (at: number, about: string, needs: VectorNeeds, verdict = accepted()) =>
  check(at, about, TOKEN, verdict, needs);

const failures: readonly (readonly [string, VectorResponse | null])[] = [
  ['a connection that fails', null],
  ['status 500', { status: 500 }],
  ['status 403', { status: 403, body: {} }],
  ['a body that is not JSON', { status: 200, text: 'x' }],
  ['another user', current(['members.invite'], { user_id: uuidOf('x') })],
  ['another organization', current(['members.invite'], { organization_id: uuidOf('x') })],
  ['another session', current(['members.invite'], { session_family_id: uuidOf('x') })],
  ['no mfa_verified_at', current(['members.invite'], { mfa_verified_at: undefined })],
];

export const needs: VectorFile = {
  about: 'What a route requires besides a session: by the token, or by GET /auth/session.',
  key_sets: { first: { keys: [publicJwk(KEY)] }, applications: { keys: [publicJwk(APPLICATION_KEY)] } },
  scenarios: [
    scenario('needs that the claims of the token decide', { checks: BY_TOKEN }),
    scenario('needs and tokens of applications', {
      options: { audience: AUDIENCE },
      requests: { keys: oneKeyRequest('applications', '/oauth/jwks.json') },
      checks: GRANTS,
    }),
    scenario('a permission of the service is looked up, and the response used for 10 seconds', {
      requests: {
        session: [session(0, current(['members.invite'])), session(10_000, current(['members.list']))],
      },
      polls: createPolls().feed().unchanged(5),
      checks: [
        lookUp(0, 'granted', INVITE),
        lookUp(9_750, 'by the cached response', INVITE),
        lookUp(10_000, 'by a new response', INVITE, FORBIDDEN),
      ],
    }),
    scenario('a response older than a second is requested again before it causes a refusal', {
      requests: {
        session: [session(0, current([])), session(1_250, current(['members.invite']))],
      },
      checks: [
        lookUp(0, 'not granted', INVITE, FORBIDDEN),
        lookUp(1_000, 'not granted, by the cached response', INVITE, FORBIDDEN),
        lookUp(1_250, 'granted meanwhile', INVITE),
      ],
    }),
    scenario('a token without its permissions', {
      requests: { session: [session(0, current(['invoices.read']), LONG_TOKEN)] },
      checks: [
        check(0, 'a permission of the product is looked up', LONG_TOKEN, accepted(LONG), {
          permission: 'invoices.read',
        }),
        check(0, 'not granted', LONG_TOKEN, FORBIDDEN, { permission: 'invoices.write' }),
      ],
    }),
    scenario('a token without a role', {
      requests: { session: [session(0, current([]), NO_ROLE_TOKEN)] },
      checks: [
        check(0, 'the role is looked up', NO_ROLE_TOKEN, accepted(NO_ROLE), { role: 'member' }),
        check(0, 'a lower role', NO_ROLE_TOKEN, FORBIDDEN, { role: 'admin' }),
      ],
    }),
    scenario('a recent step-up is looked up', {
      requests: {
        session: [session(0, current([])), session(2_000, current([], { mfa_verified_at: time(-300_000) }))],
      },
      polls: createPolls().feed().unchanged(),
      checks: [
        lookUp(0, 'never stepped up', { stepped_up_within: 302 }, STEP_UP),
        lookUp(2_000, '302 seconds ago', { stepped_up_within: 302 }),
        lookUp(2_000, '302 seconds ago, and 301 are allowed', { stepped_up_within: 301 }, STEP_UP),
      ],
    }),
    scenario('the service rejects the session', {
      requests: { session: [session(0, { status: 401, body: {} })] },
      checks: [lookUp(0, 'the session has ended', INVITE, refused('session_revoked'))],
    }),
    ...failures.map(([name, response]) =>
      scenario(`the session cannot be requested: ${name}`, {
        requests: { session: [session(0, response), session(250, current(['members.invite']))] },
        checks: [
          lookUp(0, 'the permission is unknown', INVITE, UNAVAILABLE),
          lookUp(250, 'a failure is not cached', INVITE),
        ],
      }),
    ),
  ],
};
