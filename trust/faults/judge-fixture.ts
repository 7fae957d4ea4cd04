import { sql } from 'kysely';
import type { Db } from '../../packages/server/src/platform/db/connect.ts';

/**
 * Invariants of a database that only the service has written to, at whatever moment it was stopped. Each statement
 * finds violations. Rows and the audit trail are compared both ways: no state without its audit row, no audit row
 * without its state.
 */
const RULES: Readonly<Record<string, string>> = {
  'a user belongs, or belonged, to an organization': `
    select id from users u where not exists (select from memberships where user_id = u.id)`,
  'a user has come by a registration, an invitation, an administrator or an import': `
    select id from users u where not exists (select from audit_events where outcome = 'success' and (
      action = 'auth.register' and (actor_id = u.id or resource_id = u.id::text)
      or action = 'org.created' and metadata->>'owner_user_id' = u.id::text
      or action = 'invitation.accepted' and metadata->>'new_user' = 'true' and actor_id = u.id))`,
  'a registration that was audited of has its user': `
    select id from audit_events a where action = 'auth.register'
      and not exists (select from users where id = a.actor_id or id::text = a.resource_id)`,
  'an organization has, or had, an owner, and was audited of': `
    select id from organizations o where not exists (select from memberships where organization_id = o.id and role = 'owner')
      or not exists (select from audit_events where action in ('auth.register', 'org.created') and organization_id = o.id)`,
  'an organization that was audited of is there': `
    select id from audit_events a where action in ('auth.register', 'org.created')
      and not exists (select from organizations where id = a.organization_id)`,
  'whoever signs in by a password has one': `
    select id from users u where status <> 'deleted' and password_hash is null
      and exists (select from sessions where user_id = u.id and auth_method = 'password')`,
  'each sign-in that was audited of has opened one session, and no other was opened': `
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
  'a session has its refresh token': `
    select id from sessions where refresh_jti is null`,
  'a session that was ended is in the feed': `
    select id from sessions s where revoked_at is not null and access_expires_at > now() + interval '1 minute'
      and not exists (select from revocations where sid = s.id)`,
  'what is in the feed has been ended': `
    select sid from revocations r where not exists (select from sessions where id = r.sid and revoked_at is not null)`,
  'a session that was ended was audited of': `
    select id from sessions s where revoked_at is not null and not exists (
      select from audit_events a where a.timestamp = s.revoked_at
        and (a.resource_id in (s.id::text, s.user_id::text) or a.actor_id = s.user_id or a.organization_id = s.organization_id))`,
  'a sign-out that was audited of has ended its session': `
    select id from audit_events a where action in ('auth.logout', 'auth.refresh.reuse_detected')
      and not exists (select from sessions where id::text = a.resource_id and revoked_at is not null)`,
  'nobody who may not sign in has a session': `
    select s.id from sessions s join users u on u.id = s.user_id
      join memberships m on m.user_id = s.user_id and m.organization_id = s.organization_id
    where s.revoked_at is null and (u.status <> 'active' or m.revoked_at is not null)`,
  'a second factor is on with its secret, its codes and its row': `
    select id from users u where mfa_enabled_at is not null and (
      not exists (select from totp_secrets where user_id = u.id and pending_until is null)
      or (select count(*) from recovery_codes where user_id = u.id) <> 10
      or not exists (select from audit_events where action = 'mfa.enabled' and resource_id = u.id::text and timestamp = u.mfa_enabled_at))`,
  'a second factor that was audited of is on, or was put off': `
    select id from audit_events a where action = 'mfa.enabled' and outcome = 'success'
      and not exists (select from users where id::text = a.resource_id and mfa_enabled_at is not null)
      and not exists (select from audit_events where action in ('mfa.disabled', 'mfa.reset', 'user.deleted') and resource_id = a.resource_id)`,
  'codes and secrets in force belong to a second factor that is on': `
    select u.id from users u where mfa_enabled_at is null and (
      exists (select from recovery_codes where user_id = u.id)
      or exists (select from totp_secrets where user_id = u.id and pending_until is null))`,
  'a passkey was audited of': `
    select id from passkeys p where not exists (select from audit_events where action = 'passkey.added' and resource_id = p.id::text)`,
  'a passkey that was audited of is there': `
    select id from audit_events a where action = 'passkey.added' and not exists (select from passkeys where id::text = a.resource_id)`,
  'a trusted browser was audited of': `
    select id from trusted_browsers t
    where not exists (select from audit_events where action = 'trusted_browser.added' and resource_id = t.id::text)`,
  'a trusted browser that was audited of is there': `
    select id from audit_events a where action = 'trusted_browser.added'
      and not exists (select from trusted_browsers where id::text = a.resource_id)`,
  'an invitation was audited of': `
    select id from invitations i
    where not exists (select from audit_events where action = 'invitation.created' and resource_id = i.id::text)`,
  'an invitation that was audited of is there': `
    select id from audit_events a where action = 'invitation.created' and not exists (select from invitations where id::text = a.resource_id)`,
  'an invitation was accepted by somebody who is, or was, a member, and was audited of': `
    select id from invitations i where accepted_at is not null and (
      not exists (select from audit_events where action = 'invitation.accepted' and resource_id = i.id::text)
      or not exists (select from memberships m join users u on u.id = m.user_id
        where m.organization_id = i.organization_id and u.email = i.email))`,
  'an acceptance that was audited of has happened': `
    select id from audit_events a where action = 'invitation.accepted'
      and not exists (select from invitations where id::text = a.resource_id and accepted_at is not null)`,
  'whoever was removed was audited of': `
    select user_id from memberships m where revoked_at is not null and not exists (
      select from audit_events where action in ('member.removed', 'user.deleted') and resource_id = m.user_id::text
        and timestamp = m.revoked_at)`,
  'a removal that was audited of has happened': `
    select id from audit_events a where action = 'member.removed' and not exists (
      select from memberships where user_id::text = a.resource_id and organization_id = a.organization_id and revoked_at is not null)`,
  'the state of an account is what was audited last': `
    select id from users u where status is distinct from coalesce((
      select case action when 'user.disabled' then 'disabled' when 'user.deleted' then 'deleted' else 'active' end
      from audit_events a where action in ('user.disabled', 'user.enabled', 'user.deleted') and resource_id = u.id::text
      order by a.id desc limit 1), 'active')`,
  'a deleted account has no way in': `
    select id from users u where status = 'deleted' and (password_hash is not null or mfa_enabled_at is not null
      or exists (select from passkeys where user_id = u.id and revoked_at is null)
      or exists (select from avatars where user_id = u.id))`,
  'a password that was changed was audited of': `
    select id from users u where last_password_change_at > created_at and not exists (
      select from audit_events where action in ('auth.password_reset.consumed', 'auth.password.changed')
        and resource_id = u.id::text and timestamp = u.last_password_change_at)`,
  'a reset that was audited of has changed the password, and used its link': `
    select id from audit_events a where action = 'auth.password_reset.consumed' and (
      not exists (select from users where id::text = a.resource_id and last_password_change_at >= a.timestamp)
      or exists (select from one_time_tokens where kind = 'password_reset' and subject::text = a.resource_id and created_at < a.timestamp))`,
  'an address that is verified was audited of': `
    select id from users u where email_verified_at is not null and not exists (
      select from audit_events where outcome = 'success' and (resource_id = u.id::text or actor_id = u.id) and action in
        ('auth.email.verified', 'auth.email.changed', 'auth.password_reset.consumed', 'invitation.accepted', 'auth.register'))`,
  'a change of address that was audited of has used its link': `
    select id from audit_events a where action = 'auth.email.changed' and outcome = 'success'
      and exists (select from one_time_tokens where kind = 'email_change' and subject::text = a.resource_id and created_at < a.timestamp)`,
  'a picture has its person, and a person the picture': `
    select id from users u where avatar_id is not null and not exists (select from avatars where id = u.avatar_id and user_id = u.id)
    union all select user_id from avatars v where not exists (select from users where avatar_id = v.id)`,
  'a picture was audited of': `
    select id from users u where avatar_id is not null and not exists (
      select from audit_events where action = 'user.updated' and resource_id = u.id::text and metadata->'fields' ? 'avatar')`,
  'a flag was audited of, in the moment it was written': `
    select flag_key from feature_flags f where not exists (
      select from audit_events where action = 'feature_flag.updated' and resource_id = f.flag_key and timestamp = f.updated_at)`,
  'a flag that was audited of is there, or was taken away': `
    select id from audit_events a where action = 'feature_flag.updated'
      and not exists (select from feature_flags where flag_key = a.resource_id and updated_at >= a.timestamp)
      and not exists (select from audit_events where action = 'feature_flag.deleted' and resource_id = a.resource_id)`,
  'a provider was audited of, in the moment it was written': `
    select provider from provider_configs p where not exists (
      select from audit_events where action = 'integration.updated' and resource_id = p.provider and timestamp = p.updated_at)`,
  'a provider that was audited of is there': `
    select id from audit_events a where action = 'integration.updated'
      and not exists (select from provider_configs where provider = a.resource_id and updated_at >= a.timestamp)`,
  'a platform role was audited of': `
    select id from users u where platform_role is distinct from (
      select metadata->>'to' from audit_events a where action = 'platform_role.changed' and resource_id = u.id::text
      order by a.id desc limit 1) and status = 'active'`,
  'whoever came by themselves, or by an administrator, was sent a mail': `
    select 1 from audit_events where action in ('auth.register', 'org.created') and actor_type <> 'system'
    having count(distinct organization_id) > (select count(*) from mails where template = 'verify_email')`,
  'whoever was invited was sent a mail': `
    select 1 from audit_events where action in ('invitation.created', 'invitation.resent')
    having count(*) > (select count(*) from mails where template = 'invitation')`,
  'a mail that waits can still be written, one that is over cannot': `
    select id from mails where (state = 'queued') <> (sealed is not null)`,
  'people are counted as they are': `
    select status from (select status, count(*) from users group by status) u
      full join (select status, sum(delta) from user_counts group by status) c using (status)
    where coalesce(count, 0) <> coalesce(sum, 0)`,
};

/** Returns all violations. */
export async function findFaults(db: Db): Promise<string[]> {
  const faults: string[] = [];
  for (const [rule, statement] of Object.entries(RULES)) {
    const { rows } = await sql.raw<Record<string, unknown>>(statement).execute(db);
    for (const row of rows) faults.push(`not so: ${rule}: ${JSON.stringify(row)}`);
  }
  return faults;
}
