import { sql } from 'kysely';
import type { Db } from '../../packages/server/src/platform/db/connect.ts';

/**
 * Invariants of a database that only the service has written to, at whatever moment it was stopped. Each statement
 * finds violations. Rows and the audit trail are compared both ways: no state without its audit row, no audit row
 * without its state.
 */
const RULES: Readonly<Record<string, string>> = {
  'every user is or was a member of an organization': `
    select id from users u where not exists (select from memberships where user_id = u.id)`,
  'every user has an audit row of a registration, an invitation or a new organization': `
    select id from users u where not exists (
      select from (
        select resource_id from audit_events where outcome = 'success' and action = 'auth.register'
        union all
        select case when action = 'org.created' then metadata->>'owner_user_id' else actor_id::text end from audit_events
        where outcome = 'success' and (action in ('auth.register', 'org.created')
          or action = 'invitation.accepted' and metadata->>'new_user' = 'true')
      ) audited (user_id) where user_id = u.id::text)`,
  'every audited registration has a user': `
    select id from audit_events a where action = 'auth.register'
      and not exists (select from users where id = a.actor_id)
      and not exists (select from users where id::text = a.resource_id)`,
  'every organization has or had an owner, and has an audit row': `
    select id from organizations o where not exists (select from memberships where organization_id = o.id and role = 'owner')
      or not exists (select from audit_events where action in ('auth.register', 'org.created') and organization_id = o.id)`,
  'every audited organization exists': `
    select id from audit_events a where action in ('auth.register', 'org.created')
      and not exists (select from organizations where id = a.organization_id)`,
  'every user with a session by password has a password': `
    select id from users u where status <> 'deleted' and password_hash is null
      and exists (select from sessions where user_id = u.id and auth_method = 'password')`,
  'there is one session for each audited sign-in, and no other session': `
    select user_id from (
      select user_id, count(*) as opened from sessions group by user_id) s
    full join (
      select actor_id as user_id, count(*) as audited from audit_events where outcome = 'success' and actor_id is not null and (
        action in ('auth.register', 'auth.mfa.challenge.succeeded', 'auth.passkey.login')
        or action in ('auth.login', 'auth.email_otp.succeeded', 'auth.oauth.login') and not metadata ? 'mfa_pending'
        or action = 'invitation.accepted' and metadata->>'new_user' = 'true'
        or action = 'auth.session.revoked' and metadata->>'reason' = 'organization_switched')
      group by actor_id) a using (user_id)
    where opened is distinct from audited`,
  'every session has a refresh token': `
    select id from sessions where refresh_jti is null`,
  'every revoked session is in the feed': `
    select id from sessions s where revoked_at is not null and access_expires_at > now() + interval '1 minute'
      and not exists (select from revocations where sid = s.id)`,
  'every session in the feed was revoked': `
    select sid from revocations r where not exists (select from sessions where id = r.sid and revoked_at is not null)`,
  'every revoked session has an audit row': `
    select id from sessions s where revoked_at is not null and not exists (
      select from audit_events a where a.timestamp = s.revoked_at
        and (a.resource_id in (s.id::text, s.user_id::text) or a.actor_id = s.user_id or a.organization_id = s.organization_id))`,
  'every audited sign-out has revoked its session': `
    select id from audit_events a where action in ('auth.logout', 'auth.refresh.reuse_detected')
      and not exists (select from sessions where id::text = a.resource_id and revoked_at is not null)`,
  'no user who is not allowed to sign in has a session': `
    select s.id from sessions s join users u on u.id = s.user_id
      join memberships m on m.user_id = s.user_id and m.organization_id = s.organization_id
    where s.revoked_at is null and (u.status <> 'active' or m.revoked_at is not null)`,
  'every enabled second factor has a secret, recovery codes and an audit row': `
    select id from users u where mfa_enabled_at is not null and (
      not exists (select from totp_secrets where user_id = u.id and pending_until is null)
      or (select count(*) from recovery_codes where user_id = u.id) <> 10
      or not exists (select from audit_events where action = 'mfa.enabled' and resource_id = u.id::text and timestamp = u.mfa_enabled_at))`,
  'every audited second factor is enabled or was disabled': `
    select id from audit_events a where action = 'mfa.enabled' and outcome = 'success'
      and not exists (select from users where id::text = a.resource_id and mfa_enabled_at is not null)
      and not exists (select from audit_events where action in ('mfa.disabled', 'mfa.reset', 'user.deleted') and resource_id = a.resource_id)`,
  'every active code and secret belongs to an enabled second factor': `
    select u.id from users u where mfa_enabled_at is null and (
      exists (select from recovery_codes where user_id = u.id)
      or exists (select from totp_secrets where user_id = u.id and pending_until is null))`,
  'every passkey has an audit row': `
    select id from passkeys p where not exists (select from audit_events where action = 'passkey.added' and resource_id = p.id::text)`,
  'every audited passkey exists': `
    select id from audit_events a where action = 'passkey.added' and not exists (select from passkeys where id::text = a.resource_id)`,
  'every trusted browser has an audit row': `
    select id from trusted_browsers t
    where not exists (select from audit_events where action = 'trusted_browser.added' and resource_id = t.id::text)`,
  'every audited trusted browser exists': `
    select id from audit_events a where action = 'trusted_browser.added'
      and not exists (select from trusted_browsers where id::text = a.resource_id)`,
  'every invitation has an audit row': `
    select id from invitations i
    where not exists (select from audit_events where action = 'invitation.created' and resource_id = i.id::text)`,
  'every audited invitation exists': `
    select id from audit_events a where action = 'invitation.created' and not exists (select from invitations where id::text = a.resource_id)`,
  'every accepted invitation has a current or former member and an audit row': `
    select id from invitations i where accepted_at is not null and (
      not exists (select from audit_events where action = 'invitation.accepted' and resource_id = i.id::text)
      or not exists (select from memberships m join users u on u.id = m.user_id
        where m.organization_id = i.organization_id and u.email = i.email))`,
  'every audited acceptance is stored in its invitation': `
    select id from audit_events a where action = 'invitation.accepted'
      and not exists (select from invitations where id::text = a.resource_id and accepted_at is not null)`,
  'every removed member has an audit row': `
    select user_id from memberships m where revoked_at is not null and not exists (
      select from audit_events where action in ('member.removed', 'user.deleted') and resource_id = m.user_id::text
        and timestamp = m.revoked_at)`,
  'every audited removal is stored in its membership': `
    select id from audit_events a where action = 'member.removed' and not exists (
      select from memberships where user_id::text = a.resource_id and organization_id = a.organization_id and revoked_at is not null)`,
  'the status of every account is the one that was audited last': `
    select id from users u where status is distinct from coalesce((
      select case action when 'user.disabled' then 'disabled' when 'user.deleted' then 'deleted' else 'active' end
      from audit_events a where action in ('user.disabled', 'user.enabled', 'user.deleted') and resource_id = u.id::text
      order by a.id desc limit 1), 'active')`,
  'no deleted account has a credential': `
    select id from users u where status = 'deleted' and (password_hash is not null or mfa_enabled_at is not null
      or exists (select from passkeys where user_id = u.id and revoked_at is null)
      or exists (select from avatars where user_id = u.id))`,
  'every changed password has an audit row': `
    select id from users u where last_password_change_at > created_at and not exists (
      select from audit_events where action in ('auth.password_reset.consumed', 'auth.password.changed')
        and resource_id = u.id::text and timestamp = u.last_password_change_at)`,
  'every audited reset has changed the password and consumed its link': `
    select id from audit_events a where action = 'auth.password_reset.consumed' and (
      not exists (select from users where id::text = a.resource_id and last_password_change_at >= a.timestamp)
      or exists (select from one_time_tokens where kind = 'password_reset' and subject::text = a.resource_id and created_at < a.timestamp))`,
  'every verified address has an audit row': `
    select id from users u where email_verified_at is not null and not exists (
      select from audit_events where outcome = 'success' and (resource_id = u.id::text or actor_id = u.id) and action in
        ('auth.email.verified', 'auth.email.changed', 'auth.password_reset.consumed', 'invitation.accepted', 'auth.register'))`,
  'every audited change of address has consumed its link': `
    select id from audit_events a where action = 'auth.email.changed' and outcome = 'success'
      and exists (select from one_time_tokens where kind = 'email_change' and subject::text = a.resource_id and created_at < a.timestamp)`,
  'every picture has a user, and every user with a picture has its row': `
    select id from users u where avatar_id is not null and not exists (select from avatars where id = u.avatar_id and user_id = u.id)
    union all select user_id from avatars v where not exists (select from users where avatar_id = v.id)`,
  'every picture has an audit row': `
    select id from users u where avatar_id is not null and not exists (
      select from audit_events where action = 'user.updated' and resource_id = u.id::text and metadata->'fields' ? 'avatar')`,
  'every flag has an audit row with the time of its last write': `
    select flag_key from feature_flags f where not exists (
      select from audit_events where action = 'feature_flag.updated' and resource_id = f.flag_key and timestamp = f.updated_at)`,
  'every audited flag exists or was deleted': `
    select id from audit_events a where action = 'feature_flag.updated'
      and not exists (select from feature_flags where flag_key = a.resource_id and updated_at >= a.timestamp)
      and not exists (select from audit_events where action = 'feature_flag.deleted' and resource_id = a.resource_id)`,
  'every provider row has an audit row with the time of its last write': `
    select provider from provider_configs p where not exists (
      select from audit_events where action = 'integration.updated' and resource_id = p.provider and timestamp = p.updated_at)`,
  'every audited provider row exists': `
    select id from audit_events a where action = 'integration.updated'
      and not exists (select from provider_configs where provider = a.resource_id and updated_at >= a.timestamp)`,
  'every platform role has an audit row': `
    select id from users u where platform_role is distinct from (
      select metadata->>'to' from audit_events a where action = 'platform_role.changed' and resource_id = u.id::text
      order by a.id desc limit 1) and status = 'active'`,
  'every registered owner was sent a verification mail': `
    select 1 from audit_events where action in ('auth.register', 'org.created') and actor_type <> 'system'
    having count(distinct organization_id) > (select count(*) from mails where template = 'verify_email')`,
  'every invited user was sent a mail': `
    select 1 from audit_events where action in ('invitation.created', 'invitation.resent')
    having count(*) > (select count(*) from mails where template = 'invitation')`,
  'queued mails have their content, finished mails do not': `
    select id from mails where (state = 'queued') <> (sealed is not null)`,
  'the counts of users equal the number of users': `
    select status from (select status, count(*) from users group by status) u
      full join (select status, sum(delta) from user_counts group by status) c using (status)
    where coalesce(count, 0) <> coalesce(sum, 0)`,
};

export async function findFaults(db: Db): Promise<string[]> {
  const faults: string[] = [];
  for (const [rule, statement] of Object.entries(RULES)) {
    const { rows } = await sql.raw<Record<string, unknown>>(statement).execute(db);
    for (const row of rows) faults.push(`violated: ${rule}: ${JSON.stringify(row)}`);
  }
  return faults;
}
