import { type Static, Type } from 'typebox';
import { Email } from './email.ts';
import { PAGE_QUERY, PageOf, sortQuery } from './page.ts';
import { Slug } from './sign-in.ts';
import { Name, NewPassword, Text, Timestamp, Uuid } from './text.ts';

/** §2.7 */
export const Organization = Type.Object({
  id: Uuid,
  name: Type.String({ examples: ['Example'] }),
  slug: Type.String({ examples: ['example'] }),
  created_at: Timestamp,
  suspended: Type.Boolean({
    description: 'True: users cannot sign in to it, and its sessions have ended.',
    examples: [false],
  }),
  member_count: Type.Integer({ description: 'Members, including disabled users.', examples: [1] }),
});
export type Organization = Static<typeof Organization>;

export const OrganizationPage = PageOf(Organization);
export type OrganizationPage = Static<typeof OrganizationPage>;

/** §4.12 */
export const OrganizationQuery = Type.Object({
  q: Type.Optional(
    Type.String({ format: 'text', maxLength: 120, description: 'Part of the name or slug; blank lists all.' }),
  ),
  sort: sortQuery(['created_at', 'name'], 'Default: newest first.'),
  ...PAGE_QUERY,
});
export type OrganizationQuery = Static<typeof OrganizationQuery>;

/** §4.12: a tenant and its first owner. */
export const NewOrganizationRequest = Type.Object({
  organization_name: Name(120),
  organization_slug: Type.Optional(Slug),
  owner_email: Email,
  owner_password: NewPassword,
  owner_display_name: Type.Optional(Text(0, 120)),
});
export type NewOrganizationRequest = Static<typeof NewOrganizationRequest>;

export const CreatedOrganization = Type.Object({
  organization_id: Uuid,
  owner_user_id: Uuid,
  slug: Type.String({ examples: ['example'] }),
});
export type CreatedOrganization = Static<typeof CreatedOrganization>;

export const OrganizationChange = Type.Object(
  {
    name: Type.Optional(Name(120)),
    suspended: Type.Optional(Type.Boolean({ description: 'True suspends, false restores.' })),
  },
  { examples: [{ suspended: true }] },
);
export type OrganizationChange = Static<typeof OrganizationChange>;

/** An omitted field is unchanged. */
export const OwnOrganizationChange = Type.Object(
  { name: Type.Optional(Name(120)), slug: Type.Optional(Slug) },
  { examples: [{ name: 'Example' }] },
);
export type OwnOrganizationChange = Static<typeof OwnOrganizationChange>;

/** An omitted slug is derived from the name. */
export const OwnOrganizationRequest = Type.Object(
  { name: Name(120), slug: Type.Optional(Slug) },
  { examples: [{ name: 'Example' }] },
);
export type OwnOrganizationRequest = Static<typeof OwnOrganizationRequest>;
