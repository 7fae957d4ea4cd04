/**
 * The service's own permissions, for the completion of editors. Permissions of your product, which begin with other
 * words, are strings too.
 */
export type ServicePermission =
  | 'audit.read'
  | 'machines.manage'
  | 'members.invite'
  | 'members.list'
  | 'members.remove'
  | 'members.update_role'
  | 'org.read'
  | 'org.update'
  | 'policy.manage'
  | 'roles.manage'
  | 'sso.manage'
  | 'webhooks.manage';

/** Any permission. `string & {}` keeps the completion of the known ones. */
export type Permission = ServicePermission | (string & {});
