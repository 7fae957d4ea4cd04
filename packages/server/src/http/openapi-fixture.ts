import { Nullable, Text, Timestamp, Token, User, Uuid } from '@gatehouse/contract';
import { Type } from 'typebox';
import { entitled, limited, open, optionalSession, permitted, platform, signedIn, steppedUp } from './guards.ts';
import { OneFile } from './multipart.ts';
import { type Feature, route } from './route.ts';

const handler = () => undefined;

const Member = Type.Object({
  user_id: Uuid,
  email: Type.String(),
  role: Type.Enum(['owner', 'admin', 'member']),
  display_name: Type.Union([Type.String(), Type.Null()]),
  locale: Nullable(Type.Enum(['en', 'de'])),
  joined_at: Timestamp,
  metadata: Type.Record(Type.String(), Type.Unknown()),
});

const LoginResponse = Type.Union([
  Type.Object({
    status: Type.Literal('success'),
    access_token: Type.String(),
    expires_in: Type.Integer(),
    user: Type.Object({ id: Uuid, email: Type.String(), last_login_at: Type.Optional(Timestamp) }),
  }),
  Type.Object({ status: Type.Literal('mfa_required'), mfa_token: Type.String() }),
]);

/** Routes of every kind, for tests of the OpenAPI document. */
export const SAMPLE_FEATURES: readonly Feature[] = [
  {
    name: 'Sign-in',
    routes: [
      route({
        id: 'signIn',
        method: 'POST',
        path: '/auth/login',
        access: [limited('sign-in', (config) => config.LIMIT_PASSWORD_PER_ADDRESS), open],
        summary: 'Sign in with a password',
        description: 'Answers `mfa_required` when <the account> & its owner use a second factor.',
        body: Type.Object({
          email: Text(3, 254),
          password: Type.String({
            format: 'password',
            minLength: 12,
            maxLength: 256,
            description: "It's never trimmed.",
          }),
          organization_id: Type.Optional(Uuid),
        }),
        responses: { 200: LoginResponse },
        sends: ['Set-Cookie'],
        errors: ['authentication_required', 'forbidden'],
        handler,
      }),
      route({
        id: 'requestPasswordReset',
        method: 'POST',
        path: '/auth/password/forgot',
        access: [open],
        summary: 'Ask for a mail to reset the password',
        body: Type.Object({ email: Text(3, 254) }),
        bodyKind: 'any',
        responses: { 204: null },
        handler,
      }),
      route({
        id: 'endSession',
        method: 'DELETE',
        path: '/auth/sessions/:id',
        access: [signedIn],
        summary: 'End one of your sessions',
        params: Type.Object({ id: Uuid }),
        responses: { 204: null },
        errors: ['not_found'],
        handler,
      }),
      route({
        id: 'signOut',
        method: 'POST',
        path: '/auth/logout',
        access: [optionalSession],
        summary: 'End your session',
        body: Type.Object({ reason: Type.Optional(Text(0, 120)) }),
        responses: { 204: null },
        handler,
      }),
      route({
        id: 'verifyCode',
        method: 'POST',
        path: '/auth/verify',
        access: [signedIn],
        summary: 'Give one of two codes',
        body: Type.Object({ code: Type.Optional(Text(0, 6)), recovery_code: Type.Optional(Text(0, 20)) }),
        bodyNeeded: true,
        responses: { 204: null },
        handler,
      }),
      route({
        id: 'startElsewhere',
        method: 'GET',
        path: '/start',
        access: [open],
        summary: 'Leads elsewhere',
        responses: { 302: null },
        handler,
      }),
      route({
        id: 'getOwnAccount',
        method: 'GET',
        path: '/users/me',
        access: [signedIn],
        summary: 'Your record',
        responses: { 200: User, 304: null },
        handler,
      }),
      route({
        id: 'uploadAvatar',
        method: 'POST',
        path: '/users/me/avatar',
        access: [signedIn],
        summary: 'Upload a picture',
        bodyKind: 'multipart',
        body: OneFile('avatar', { maxBytes: 1000, description: 'A picture.' }),
        responses: { 200: Type.Object({ avatar_url: Type.String() }) },
        handler,
      }),
    ],
  },
  {
    name: 'Members & roles',
    routes: [
      route({
        id: 'listMembers',
        method: 'GET',
        path: '/orgs/:org_id/members',
        access: [signedIn, permitted('members.list')],
        summary: 'List the members',
        query: Type.Object({
          q: Type.Optional(Text(0, 120)),
          status: Type.Optional(Type.Enum(['active', 'disabled'])),
        }),
        params: Type.Object({
          org_id: Type.String({ format: 'uuid', description: 'The organization of your session.' }),
        }),
        responses: { 200: Type.Object({ items: Type.Array(Member) }) },
        handler,
      }),
      route({
        id: 'changeMemberRole',
        method: 'PATCH',
        path: '/orgs/:org_id/members/:user_id',
        access: [signedIn, permitted('members.update_role')],
        summary: 'Give a member another role',
        params: Type.Object({ org_id: Uuid, user_id: Uuid }),
        body: Type.Object({ role: Type.Enum(['owner', 'admin', 'member']) }),
        responses: { 200: Member },
        errors: ['not_found', 'conflict'],
        handler,
      }),
      route({
        id: 'setProvider',
        method: 'PUT',
        path: '/admin/integrations/:provider',
        access: [signedIn, platform('admin'), steppedUp],
        summary: 'Store the settings of a provider',
        body: Type.Object({ enabled: Type.Boolean(), secret: Type.Optional(Token(4096)) }),
        responses: { 200: Type.Object({ degraded: Type.Boolean() }) },
        handler,
      }),
      route({
        id: 'exportAuditEvents',
        method: 'GET',
        path: '/admin/audit-export',
        access: [signedIn, entitled('AuditExport'), platform('admin')],
        summary: 'Export the audit trail',
        query: Type.Object({ from: Timestamp }),
        responses: { 200: null },
        produces: 'application/x-ndjson',
        handler,
      }),
    ],
  },
  {
    name: 'Operations',
    routes: [
      route({
        id: 'getReadiness',
        method: 'GET',
        path: '/readyz',
        atBase: true,
        access: [open],
        summary: 'Readiness',
        responses: { 200: Type.Object({ status: Type.Literal('ready') }), 503: Type.Object({ status: Type.String() }) },
        handler,
      }),
      route({
        id: 'getHealth',
        method: 'GET',
        path: '/healthz',
        atBase: true,
        access: [open],
        summary: 'Liveness',
        responses: { 200: Type.Object({ status: Type.Literal('ok') }) },
        handler,
      }),
      route({
        method: 'HEAD',
        path: '/readyz',
        atBase: true,
        access: [open],
        summary: 'Not listed',
        responses: { 200: null },
        handler,
      }),
    ],
  },
  {
    name: 'Pages',
    routes: [
      route({
        method: 'GET',
        path: '/page',
        atBase: true,
        access: [open],
        summary: 'Not listed either',
        responses: { 200: null },
        produces: 'text/html',
        handler,
      }),
    ],
  },
];
