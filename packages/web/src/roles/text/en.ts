import type { SERVICE_PERMISSIONS } from '../permissions.ts';

const service: Readonly<Record<(typeof SERVICE_PERMISSIONS)[number], string>> = {
  'org.read': 'See the organization',
  'members.list': 'See members and roles',
  'members.invite': 'Invite people',
  'members.update_role': 'Change roles between member and admin',
  'members.remove': 'Remove members',
  'roles.manage': 'Create and assign roles',
  'machines.manage': 'Manage service accounts and API keys',
  'audit.read': 'See the activity of the organization',
  'webhooks.manage': 'Manage webhooks',
};

export const text = {
  service,
  serviceTitle: 'This service',
  productTitle: 'Your product',
  noProduct: 'The product has declared no permissions yet.',
  cannotGive: 'You don’t have this permission, so you can’t give it to others.',
  role: 'Role',
  slug: 'Slug',
  permissions: 'Permissions',
  noPermissions: 'none',
  global: 'Global',
  create: 'New role',
  createVerb: 'Create role',
  edit: 'Edit',
  editTitle: (name: string) => `Edit ${name}`,
  name: 'Name',
  description: 'Description',
  optional: 'optional',
  saved: (name: string) => `${name} saved`,
  created: (name: string) => `${name} created`,
  deleted: (name: string) => `${name} deleted`,
  conflict: 'The slug is taken by another role, or there are already 100 roles.',
  invalid: 'The slug is reserved, or a permission doesn’t exist or can’t be part of a role.',
  forbidden: 'Your permissions don’t allow this, or they have changed. Reload the page.',
  limited: 'Too many role changes in a short time.',
  remove: 'Delete',
  removeTitle: (name: string) => `Delete ${name}?`,
  removeQuestion: 'Everyone who has this role loses its permissions within seconds. This can’t be undone.',
};
export type Text = typeof text;
