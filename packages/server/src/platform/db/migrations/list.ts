import type { Migration } from '@gatehouse/migrate';
import { foundation } from './0001-foundation.ts';
import { accounts } from './0002-accounts.ts';
import { secondFactors } from './0003-second-factors.ts';
import { thirdParties } from './0004-third-parties.ts';
import { administration } from './0005-administration.ts';
import { consoleCounts } from './0006-console.ts';
import { scale } from './0007-scale.ts';
import { mailbox } from './0008-mailbox.ts';
import { feed } from './0009-feed.ts';
import { auditVisibility } from './0010-audit-visibility.ts';
import { roles } from './0011-roles.ts';
import { listIndexes } from './0012-list-indexes.ts';
import { userLogins } from './0013-user-logins.ts';
import { selfServiceIndexes } from './0014-self-service-indexes.ts';
import { machines } from './0015-machines.ts';
import { policy } from './0016-policy.ts';
import { webhooks } from './0017-webhooks.ts';
import { applications } from './0018-applications.ts';
import { sso } from './0019-sso.ts';
import { connectionIndexes } from './0020-connection-indexes.ts';
import { eventIndexes } from './0021-event-indexes.ts';
import { heldRoles } from './0022-held-roles.ts';
import { codeUse } from './0023-code-use.ts';
import { formerEmails } from './0024-former-emails.ts';
import { formerEmailIndexes } from './0025-former-email-indexes.ts';
import { replicas } from './0026-replicas.ts';
import { passkeyRpId } from './0027-passkey-rp-id.ts';

/** In order. A released migration is never edited: a later one corrects it. */
export const MIGRATIONS: readonly Migration[] = [
  foundation,
  accounts,
  secondFactors,
  thirdParties,
  administration,
  consoleCounts,
  scale,
  mailbox,
  feed,
  auditVisibility,
  roles,
  listIndexes,
  userLogins,
  selfServiceIndexes,
  machines,
  policy,
  webhooks,
  applications,
  sso,
  connectionIndexes,
  eventIndexes,
  heldRoles,
  codeUse,
  formerEmails,
  formerEmailIndexes,
  replicas,
  passkeyRpId,
];
