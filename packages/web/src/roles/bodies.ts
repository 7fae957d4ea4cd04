import type { NewRole, Role } from '@gatehouse/contract';

/** The request that restores a role as it was before a change. */
export const bodyOf = ({ name, slug, description, permissions }: Role): NewRole => ({
  name,
  slug,
  description,
  permissions,
});
