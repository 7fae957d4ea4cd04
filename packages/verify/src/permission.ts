/**
 * The service's own permissions, which editors can complete. Permissions of your product begin with other words and are
 * also strings.
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
