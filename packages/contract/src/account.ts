import { type Static, Type } from 'typebox';
import { Aal, AuthMethod } from './access-token.ts';
import { ConnectedApplication } from './application.ts';
import { AuditRow } from './audit.ts';
import { Invitation } from './invitation.ts';
import { Identity } from './oauth.ts';
import { Passkey } from './passkey.ts';
import { RoleSummary } from './role.ts';
import { GivenPassword, Nullable, Timestamp, Uuid } from './text.ts';
import { TrustedBrowser } from './trusted-browser.ts';
import { Membership, User } from './user.ts';

/** docs/reference/accounts.md#deletion-and-export. `password` is omitted for an account without a password. */
export const AccountDeletion = Type.Object(
  { password: Type.Optional(GivenPassword) },
  { examples: [{ password: 'correct horse battery staple' }] },
);
export type AccountDeletion = Static<typeof AccountDeletion>;

const ENDED = {
  revoked_at: Nullable({ ...Timestamp, description: 'When it ended. Ended records are kept for 90 days.' }),
} as const;

/** docs/reference/accounts.md#deletion-and-export: every record of one user, without secrets. */
export const AccountExport = Type.Object({
  exported_at: Timestamp,
  user: User,
  memberships: Type.Array(
    Type.Object({
      ...Membership.properties,
      roles: Type.Array(RoleSummary),
      revoked_at: Nullable({ ...Timestamp, description: 'When it ended.' }),
      revoked_email: Nullable(Type.String({ description: 'The email of the user when it ended.' })),
    }),
  ),
  sessions: Type.Array(
    Type.Object({
      id: Uuid,
      organization_id: Uuid,
      auth_method: AuthMethod,
      aal: Aal,
      created_at: Timestamp,
      last_used_at: Timestamp,
      expires_at: Timestamp,
      ip_address: Nullable(Type.String()),
      user_agent: Nullable(Type.String()),
      ...ENDED,
    }),
  ),
  passkeys: Type.Array(Type.Object({ ...Passkey.properties, ...ENDED })),
  identities: Type.Array(Type.Object({ ...Identity.properties, ...ENDED })),
  sso_identities: Type.Array(
    Type.Object({
      id: Uuid,
      connection_id: Uuid,
      connection_name: Type.String(),
      organization_id: Uuid,
      subject: Type.String({ description: 'The id of the user at the provider.' }),
      email: Type.String({ description: 'The email that the provider sent at the last sign-in.' }),
      linked_at: Timestamp,
      last_used_at: Nullable(Timestamp),
    }),
  ),
  trusted_browsers: Type.Array(Type.Object({ ...TrustedBrowser.properties, ...ENDED })),
  applications: Type.Array(
    Type.Object({
      ...ConnectedApplication.properties,
      ...ENDED,
      grants: Type.Array(
        Type.Object({
          id: Uuid,
          organization_id: Uuid,
          scopes: Type.Array(Type.String()),
          created_at: Timestamp,
          last_used_at: Nullable(Timestamp),
          ended_at: Nullable(Timestamp),
        }),
      ),
    }),
  ),
  invitations: Type.Array(Invitation, {
    description: 'Invitations that the user sent and, once the email is verified, those sent to that email.',
  }),
  audit_logs: Type.Array(AuditRow, {
    description: 'Events of which the user is the actor: the newest 10,000, newest first.',
  }),
});
export type AccountExport = Static<typeof AccountExport>;
