SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;
CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA public;
CREATE FUNCTION public.count_password_change() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  insert into password_counts
    select password_head(stored), sum(change) from (values (old.password_hash, -1), (new.password_hash, 1)) as side (stored, change)
    where stored is not null group by 1 having sum(change) <> 0;
  return null;
end $$;
CREATE FUNCTION public.count_passwords() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  if tg_op = 'INSERT' then
    insert into password_counts
      select password_head(password_hash), count(*) from after where password_hash is not null group by 1;
  else
    insert into password_counts
      select password_head(password_hash), -count(*) from before where password_hash is not null group by 1;
  end if;
  return null;
end $$;
CREATE FUNCTION public.count_user_change() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  insert into user_counts values (old.status, -1), (new.status, 1);
  return null;
end $$;
CREATE FUNCTION public.count_users() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  if tg_op = 'INSERT' then
    insert into user_counts select status, count(*) from after group by status;
  else
    insert into user_counts select status, -count(*) from before group by status;
  end if;
  return null;
end $$;
CREATE FUNCTION public.ensure_audit_month(month timestamp with time zone) RETURNS void
    LANGUAGE plpgsql
    AS $$
declare
  first timestamptz := date_trunc('month', month, 'UTC');
  next timestamptz := date_trunc('month', month, 'UTC') + interval '32 days';
  partition text := 'audit_events_' || to_char(first at time zone 'UTC', 'YYYYMM');
begin
  next := date_trunc('month', next, 'UTC');
  perform pg_advisory_xact_lock(hashtext('gatehouse audit months'));
  if to_regclass(partition) is not null
    or exists (select from audit_events_rest where "timestamp" >= first and "timestamp" < next) then
    return;
  end if;
  execute format('create table %I partition of audit_events for values from (%L) to (%L)', partition, first, next);
  execute format('create trigger audit_events_no_truncate before truncate on %I
    for each statement execute function refuse_audit_change()', partition);
end $$;
CREATE FUNCTION public.password_head(stored text) RETURNS text
    LANGUAGE sql IMMUTABLE
    AS $_$
  select case when stored like '$argon2id$v=19$m=19456,t=2,p=1$%' then ''
    else coalesce(substring(stored from '^\$[^$]*\$(?:v=[0-9]+\$)?[^$]*'), '?') end
$_$;
CREATE FUNCTION public.refuse_audit_change() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  raise exception 'audit events are append-only';
end $$;
SET default_tablespace = '';
CREATE TABLE public.audit_events (
    id bigint NOT NULL,
    event_id uuid NOT NULL,
    "timestamp" timestamp with time zone NOT NULL,
    organization_id uuid NOT NULL,
    actor_id uuid,
    actor_type text NOT NULL,
    action text NOT NULL,
    resource_type text NOT NULL,
    resource_id text NOT NULL,
    ip_address text,
    user_agent text,
    request_id uuid,
    metadata jsonb NOT NULL,
    outcome text NOT NULL,
    xid xid8 DEFAULT pg_current_xact_id() NOT NULL
)
PARTITION BY RANGE ("timestamp");
SET default_table_access_method = heap;
CREATE TABLE public.audit_events_202610 (
    id bigint NOT NULL,
    event_id uuid NOT NULL,
    "timestamp" timestamp with time zone NOT NULL,
    organization_id uuid NOT NULL,
    actor_id uuid,
    actor_type text NOT NULL,
    action text NOT NULL,
    resource_type text NOT NULL,
    resource_id text NOT NULL,
    ip_address text,
    user_agent text,
    request_id uuid,
    metadata jsonb NOT NULL,
    outcome text NOT NULL,
    xid xid8 DEFAULT pg_current_xact_id() NOT NULL
);
CREATE TABLE public.audit_events_202611 (
    id bigint NOT NULL,
    event_id uuid NOT NULL,
    "timestamp" timestamp with time zone NOT NULL,
    organization_id uuid NOT NULL,
    actor_id uuid,
    actor_type text NOT NULL,
    action text NOT NULL,
    resource_type text NOT NULL,
    resource_id text NOT NULL,
    ip_address text,
    user_agent text,
    request_id uuid,
    metadata jsonb NOT NULL,
    outcome text NOT NULL,
    xid xid8 DEFAULT pg_current_xact_id() NOT NULL
);
CREATE TABLE public.audit_events_202612 (
    id bigint NOT NULL,
    event_id uuid NOT NULL,
    "timestamp" timestamp with time zone NOT NULL,
    organization_id uuid NOT NULL,
    actor_id uuid,
    actor_type text NOT NULL,
    action text NOT NULL,
    resource_type text NOT NULL,
    resource_id text NOT NULL,
    ip_address text,
    user_agent text,
    request_id uuid,
    metadata jsonb NOT NULL,
    outcome text NOT NULL,
    xid xid8 DEFAULT pg_current_xact_id() NOT NULL
);
ALTER TABLE public.audit_events ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.audit_events_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.audit_events_rest (
    id bigint NOT NULL,
    event_id uuid NOT NULL,
    "timestamp" timestamp with time zone NOT NULL,
    organization_id uuid NOT NULL,
    actor_id uuid,
    actor_type text NOT NULL,
    action text NOT NULL,
    resource_type text NOT NULL,
    resource_id text NOT NULL,
    ip_address text,
    user_agent text,
    request_id uuid,
    metadata jsonb NOT NULL,
    outcome text NOT NULL,
    xid xid8 DEFAULT pg_current_xact_id() NOT NULL
);
CREATE TABLE public.audit_hours (
    action text NOT NULL,
    hour timestamp with time zone NOT NULL,
    count bigint NOT NULL,
    least_id bigint NOT NULL,
    greatest_id bigint NOT NULL,
    sign_ins bigint NOT NULL,
    failed_sign_ins bigint NOT NULL
);
CREATE TABLE public.audit_mark (
    only_one boolean DEFAULT true NOT NULL,
    counted_before xid8 NOT NULL,
    counted_to bigint NOT NULL,
    CONSTRAINT audit_mark_only_one_check CHECK (only_one)
);
CREATE TABLE public.avatars (
    id text NOT NULL,
    user_id uuid NOT NULL,
    image bytea NOT NULL,
    created_at timestamp with time zone NOT NULL
);
CREATE TABLE public.bus_events (
    id bigint NOT NULL,
    topic text NOT NULL,
    key text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    xid xid8 DEFAULT pg_current_xact_id() NOT NULL
);
ALTER TABLE public.bus_events ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.bus_events_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.feature_flags (
    flag_key text NOT NULL,
    organization_id uuid,
    enabled boolean NOT NULL,
    value jsonb,
    updated_at timestamp with time zone NOT NULL
);
CREATE TABLE public.foreign_hash_keys (
    id uuid NOT NULL,
    sealed_key text NOT NULL,
    created_at timestamp with time zone NOT NULL
);
CREATE TABLE public.identities (
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    provider text NOT NULL,
    issuer text NOT NULL,
    subject text,
    email text,
    linked_at timestamp with time zone NOT NULL,
    last_used_at timestamp with time zone,
    revoked_at timestamp with time zone
);
CREATE TABLE public.imports (
    export_id uuid NOT NULL,
    file text NOT NULL,
    lines bigint NOT NULL,
    finished_at timestamp with time zone
);
CREATE TABLE public.invitations (
    id uuid NOT NULL,
    organization_id uuid NOT NULL,
    email text NOT NULL,
    role text NOT NULL,
    inviter_id uuid NOT NULL,
    inviter_email text NOT NULL,
    token_hash bytea NOT NULL,
    created_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    accepted_at timestamp with time zone,
    revoked_at timestamp with time zone,
    closed_at timestamp with time zone,
    CONSTRAINT invitations_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'admin'::text, 'member'::text])))
);
CREATE TABLE public.mails (
    id uuid NOT NULL,
    template text NOT NULL,
    locale text NOT NULL,
    sealed text,
    state text NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    next_attempt_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    created_at timestamp with time zone NOT NULL,
    finished_at timestamp with time zone,
    last_error text,
    discard boolean DEFAULT false NOT NULL,
    CONSTRAINT mails_state_check CHECK ((state = ANY (ARRAY['queued'::text, 'sent'::text, 'failed'::text, 'expired'::text])))
);
CREATE TABLE public.memberships (
    organization_id uuid NOT NULL,
    user_id uuid NOT NULL,
    role text NOT NULL,
    joined_at timestamp with time zone NOT NULL,
    revoked_at timestamp with time zone,
    CONSTRAINT memberships_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'admin'::text, 'member'::text])))
);
CREATE TABLE public.mfa_tokens (
    jti uuid NOT NULL,
    user_id uuid NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    created_at timestamp with time zone NOT NULL,
    burned_at timestamp with time zone,
    kept_until timestamp with time zone NOT NULL
);
CREATE TABLE public.milestones (
    name text NOT NULL,
    reached_at timestamp with time zone NOT NULL
);
CREATE TABLE public.oauth_states (
    id bytea NOT NULL,
    expires_at timestamp with time zone NOT NULL
);
CREATE TABLE public.one_time_tokens (
    kind text NOT NULL,
    subject uuid NOT NULL,
    token_hash bytea NOT NULL,
    user_id uuid,
    email text,
    attempts integer DEFAULT 0 NOT NULL,
    created_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    CONSTRAINT one_time_tokens_kind_check CHECK ((kind = ANY (ARRAY['login_code'::text, 'password_reset'::text, 'email_verification'::text, 'email_change'::text])))
);
CREATE TABLE public.organizations (
    id uuid NOT NULL,
    name text NOT NULL,
    slug text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    suspended_at timestamp with time zone
);
CREATE TABLE public.passkey_challenges (
    id bytea NOT NULL,
    expires_at timestamp with time zone NOT NULL
);
CREATE TABLE public.passkeys (
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    credential_id bytea,
    public_key bytea,
    sign_count bigint NOT NULL,
    name text NOT NULL,
    device_type text NOT NULL,
    backed_up boolean NOT NULL,
    transports text[] NOT NULL,
    aaguid uuid NOT NULL,
    created_at timestamp with time zone NOT NULL,
    last_used_at timestamp with time zone,
    revoked_at timestamp with time zone
);
CREATE TABLE public.password_counts (
    head text NOT NULL,
    delta bigint NOT NULL
);
CREATE TABLE public.provider_configs (
    provider text NOT NULL,
    enabled boolean NOT NULL,
    public_config jsonb NOT NULL,
    sealed_secret text,
    updated_at timestamp with time zone NOT NULL
);
CREATE TABLE public.rate_counters (
    key bytea NOT NULL,
    count integer NOT NULL,
    resets_at timestamp with time zone NOT NULL
);
CREATE TABLE public.recovery_codes (
    user_id uuid NOT NULL,
    code_hash bytea NOT NULL,
    created_at timestamp with time zone NOT NULL,
    used_at timestamp with time zone
);
CREATE TABLE public.refresh_uses (
    jti uuid NOT NULL,
    used_at timestamp with time zone NOT NULL
);
CREATE TABLE public.revocations (
    sid uuid NOT NULL,
    revoked_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL
);
CREATE TABLE public.schema_migrations (
    version integer NOT NULL,
    name text NOT NULL,
    applied_at timestamp with time zone NOT NULL
);
CREATE TABLE public.sessions (
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    organization_id uuid NOT NULL,
    auth_method text NOT NULL,
    aal text NOT NULL,
    auth_time timestamp with time zone NOT NULL,
    mfa_verified_at timestamp with time zone,
    created_at timestamp with time zone NOT NULL,
    last_used_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    access_expires_at timestamp with time zone NOT NULL,
    ip_address text,
    user_agent text,
    revoked_at timestamp with time zone,
    refresh_jti uuid,
    CONSTRAINT sessions_aal_check CHECK ((aal = ANY (ARRAY['aal1'::text, 'aal2'::text])))
)
WITH (fillfactor='80');
CREATE TABLE public.signing_keys (
    kid text NOT NULL,
    public_jwk jsonb NOT NULL,
    sealed_private_key text,
    created_at timestamp with time zone NOT NULL,
    signs_from timestamp with time zone NOT NULL,
    published_until timestamp with time zone
);
CREATE TABLE public.totp_secrets (
    user_id uuid NOT NULL,
    sealed_secret text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    pending_until timestamp with time zone,
    used_steps integer[] DEFAULT '{}'::integer[] NOT NULL
);
CREATE TABLE public.trusted_browsers (
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    token_hash bytea,
    name text NOT NULL,
    user_agent text,
    created_at timestamp with time zone NOT NULL,
    last_used_at timestamp with time zone,
    expires_at timestamp with time zone NOT NULL,
    revoked_at timestamp with time zone
);
CREATE TABLE public.turns (
    name text NOT NULL,
    taken_until timestamp with time zone NOT NULL
);
CREATE TABLE public.user_counts (
    status text NOT NULL,
    delta bigint NOT NULL
);
CREATE TABLE public.users (
    id uuid NOT NULL,
    email text NOT NULL,
    email_verified_at timestamp with time zone,
    display_name text,
    locale text,
    status text NOT NULL,
    platform_role text,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    password_hash text,
    last_password_change_at timestamp with time zone,
    last_login_at timestamp with time zone,
    last_organization_id uuid,
    mfa_enabled_at timestamp with time zone,
    avatar_id text,
    CONSTRAINT users_platform_role_check CHECK ((platform_role = ANY (ARRAY['viewer'::text, 'admin'::text, 'owner'::text]))),
    CONSTRAINT users_status_check CHECK ((status = ANY (ARRAY['active'::text, 'disabled'::text, 'deleted'::text])))
)
WITH (fillfactor='85');
ALTER TABLE ONLY public.audit_events ATTACH PARTITION public.audit_events_202610 FOR VALUES FROM ('2026-10-01 00:00:00+00') TO ('2026-11-01 00:00:00+00');
ALTER TABLE ONLY public.audit_events ATTACH PARTITION public.audit_events_202611 FOR VALUES FROM ('2026-11-01 00:00:00+00') TO ('2026-12-01 00:00:00+00');
ALTER TABLE ONLY public.audit_events ATTACH PARTITION public.audit_events_202612 FOR VALUES FROM ('2026-12-01 00:00:00+00') TO ('2027-01-01 00:00:00+00');
ALTER TABLE ONLY public.audit_events ATTACH PARTITION public.audit_events_rest DEFAULT;
INSERT INTO public.audit_events_202610 OVERRIDING SYSTEM VALUE VALUES
	(12, '01a1e343-d27c-762a-8bd6-a51e9fb27c5a', '2026-10-10 10:00:30+00', '01a1e343-c1ce-727c-87e4-bd88a37b772d', '01a1e343-c1cd-74a7-9c19-0997803f2c0c', 'user', 'auth.login', 'user', '01a1e343-c1cd-74a7-9c19-0997803f2c0c', '127.0.0.1', 'lightMyRequest', '521eeab5-3ef4-49b5-8402-9a3c8900000a', '{"method": "password", "mfa_pending": true}', 'success', '793'),
	(13, '01a1e343-d33f-7663-beae-70f375998e0e', '2026-10-10 10:00:30+00', '01a1e343-c1ce-727c-87e4-bd88a37b772d', '01a1e343-c1cd-74a7-9c19-0997803f2c0c', 'user', 'auth.mfa.challenge.succeeded', 'user', '01a1e343-c1cd-74a7-9c19-0997803f2c0c', '127.0.0.1', 'lightMyRequest', '521eeab5-3ef4-49b5-8402-9a3c8900000b', '{"method": "totp"}', 'success', '794'),
	(14, '01a1e343-d3a0-71e4-8996-18ea772be046', '2026-10-10 10:00:30+00', '00000000-0000-0000-0000-000000000000', '01a1e343-c1cd-74a7-9c19-0997803f2c0c', 'user', 'feature_flag.updated', 'feature_flag', 'beta', '127.0.0.1', 'lightMyRequest', '521eeab5-3ef4-49b5-8402-9a3c8900000c', '{"scope": "global", "enabled": true, "flag_key": "beta"}', 'success', '795'),
	(15, '01a1e343-d425-7710-83f6-77c74c9708ec', '2026-10-10 10:00:30+00', '01a1e343-c939-7383-9cf7-792d8eaef927', '01a1e343-c1cd-74a7-9c19-0997803f2c0c', 'user', 'feature_flag.updated', 'feature_flag', 'beta', '127.0.0.1', 'lightMyRequest', '521eeab5-3ef4-49b5-8402-9a3c8900000d', '{"scope": "organization", "enabled": false, "flag_key": "beta"}', 'success', '797'),
	(16, '01a1e343-d4f5-70a0-897e-fec4fd13cb0e', '2026-10-10 10:00:30+00', '00000000-0000-0000-0000-000000000000', '01a1e343-c1cd-74a7-9c19-0997803f2c0c', 'user', 'integration.updated', 'integration', 'oauth_b', '127.0.0.1', 'lightMyRequest', '521eeab5-3ef4-49b5-8402-9a3c8900000e', '{"key_id": "4727ed9682aaa9f9", "enabled": true, "provider": "oauth_b"}', 'success', '800'),
	(17, '01a1e343-d565-713e-9b1e-26e52d50155e', '2026-10-10 10:00:30+00', '00000000-0000-0000-0000-000000000000', '01a1e343-c1cd-74a7-9c19-0997803f2c0c', 'user', 'integration.updated', 'integration', 'oauth_a', '127.0.0.1', 'lightMyRequest', '521eeab5-3ef4-49b5-8402-9a3c8900000f', '{"key_id": "4727ed9682aaa9f9", "enabled": false, "provider": "oauth_a"}', 'success', '803'),
	(18, '01a1e343-d5d3-7282-85b5-ed669d3c83bf', '2026-10-10 10:00:30+00', '01a1e343-cd01-71bc-a889-bf25cdd37dec', '01a1e343-c1cd-74a7-9c19-0997803f2c0c', 'user', 'user.disabled', 'user', '01a1e343-cd00-71e0-b8a2-72c55e80257b', '127.0.0.1', 'lightMyRequest', '521eeab5-3ef4-49b5-8402-9a3c89000010', '{"sessions_revoked": 1}', 'success', '805'),
	(19, '01a1e343-d69c-709b-a549-6b44657adff0', '2026-10-10 10:00:30+00', '01a1e343-ce56-76a1-9151-dd6567006d63', '01a1e343-c1cd-74a7-9c19-0997803f2c0c', 'user', 'user.deleted', 'user', '01a1e343-ce56-76a1-9151-d9ac4303361f', '127.0.0.1', 'lightMyRequest', '521eeab5-3ef4-49b5-8402-9a3c89000011', '{"sessions_revoked": 1}', 'success', '807'),
	(20, '01a1e343-d853-7684-bbf3-2803c310732f', '2026-10-10 10:00:30+00', '01a1e343-c939-7383-9cf7-792d8eaef927', '01a1e343-c939-7383-9cf7-75ef714f5288', 'user', 'auth.login', 'user', '01a1e343-c939-7383-9cf7-75ef714f5288', '127.0.0.1', 'lightMyRequest', '521eeab5-3ef4-49b5-8402-9a3c89000012', '{"method": "password", "reason": "credentials"}', 'failure', '809');
INSERT INTO public.audit_events_202611 OVERRIDING SYSTEM VALUE VALUES
	(21, '01a1e343-dbb2-70ab-8bee-25b67e4d2fec', '2026-11-10 10:00:30+00', '01a1e343-db9c-709c-bc06-5251f23bdefc', '01a1e343-db9b-7375-8d6d-3e3405c3149d', 'user', 'auth.register', 'organization', '01a1e343-db9c-709c-bc06-5251f23bdefc', '127.0.0.1', 'lightMyRequest', '521eeab5-3ef4-49b5-8402-9a3c89000014', '{}', 'success', '821'),
	(22, '01a1e343-dbbb-758d-8f83-0ce9e226cd48', '2026-11-10 10:00:30+00', '01a1e343-db9c-709c-bc06-5251f23bdefc', '01a1e343-db9b-7375-8d6d-3e3405c3149d', 'user', 'auth.oauth.login', 'user', '01a1e343-db9b-7375-8d6d-3e3405c3149d', '127.0.0.1', 'lightMyRequest', '521eeab5-3ef4-49b5-8402-9a3c89000014', '{"provider": "oauth_b", "identity_id": "01a1e343-db9c-709c-bc06-4d9c30eff34a"}', 'success', '821'),
	(23, '01a1e343-dfb3-702d-b2e6-8c8369f431cb', '2026-11-10 10:00:30+00', '01a1e343-c939-7383-9cf7-792d8eaef927', '01a1e343-c939-7383-9cf7-75ef714f5288', 'user', 'auth.login', 'user', '01a1e343-c939-7383-9cf7-75ef714f5288', '127.0.0.1', 'lightMyRequest', '521eeab5-3ef4-49b5-8402-9a3c89000015', '{"method": "password"}', 'success', '824'),
	(24, '01a1e343-e15b-7012-ae0c-b2212b077ae1', '2026-11-10 10:00:30+00', '01a1e343-cbc8-76cc-ba93-2a923e9dd762', '01a1e343-cbc8-76cc-ba93-240ae9a6ac3f', 'user', 'auth.login', 'user', '01a1e343-cbc8-76cc-ba93-240ae9a6ac3f', '127.0.0.1', 'lightMyRequest', '521eeab5-3ef4-49b5-8402-9a3c89000016', '{"method": "password"}', 'success', '825'),
	(25, '01a1e343-e89f-72be-9b8b-5afa85f75694', '2026-11-10 10:00:30+00', '01a1e343-cbc8-76cc-ba93-2a923e9dd762', '01a1e343-cbc8-76cc-ba93-240ae9a6ac3f', 'user', 'passkey.added', 'passkey', '01a1e343-e856-7494-8346-5bb1dc7a1d47', '127.0.0.1', 'lightMyRequest', '521eeab5-3ef4-49b5-8402-9a3c89000018', '{}', 'success', '828'),
	(26, '01a1e343-e944-75ca-b385-e743419afb52', '2026-11-10 10:00:30+00', '01a1e343-cbc8-76cc-ba93-2a923e9dd762', '01a1e343-cbc8-76cc-ba93-240ae9a6ac3f', 'user', 'auth.passkey.login', 'user', '01a1e343-cbc8-76cc-ba93-240ae9a6ac3f', '127.0.0.1', 'lightMyRequest', '521eeab5-3ef4-49b5-8402-9a3c8900001a', '{"passkey_id": "01a1e343-e856-7494-8346-5bb1dc7a1d47"}', 'success', '832'),
	(27, '01a1e343-e9f4-7046-b94b-91736a2084c3', '2026-11-10 10:00:30+00', '01a1e343-c939-7383-9cf7-792d8eaef927', '01a1e343-c939-7383-9cf7-75ef714f5288', 'user', 'user.updated', 'user', '01a1e343-c939-7383-9cf7-75ef714f5288', '127.0.0.1', 'lightMyRequest', '521eeab5-3ef4-49b5-8402-9a3c8900001b', '{"fields": ["avatar"]}', 'success', '833'),
	(28, '01a1e343-ead0-71d9-97db-00e929542a52', '2026-11-10 10:00:30+00', '01a1e343-c939-7383-9cf7-792d8eaef927', '01a1e343-c939-7383-9cf7-75ef714f5288', 'user', 'auth.login', 'user', '01a1e343-c939-7383-9cf7-75ef714f5288', '127.0.0.1', 'lightMyRequest', '521eeab5-3ef4-49b5-8402-9a3c8900001d', '{"method": "password"}', 'success', '836'),
	(29, '01a1e343-eb37-72c9-9800-93db5e9ba9e0', '2026-11-10 10:00:30+00', '01a1e343-c939-7383-9cf7-792d8eaef927', '01a1e343-c939-7383-9cf7-75ef714f5288', 'user', 'auth.logout', 'session', '01a1c4e6-ea30-776e-912a-ac9dc0752915', '127.0.0.1', 'lightMyRequest', '521eeab5-3ef4-49b5-8402-9a3c8900001f', '{}', 'success', '838'),
	(30, '01a1e343-ebd5-72bb-bbc9-26075bee77f6', '2026-11-10 10:01:00+00', '01a1e343-c9e8-7649-88e9-fa08f4cb99a3', '01a1e343-c9e8-7649-88e9-f727b8c25e87', 'user', 'auth.login', 'user', '01a1e343-c9e8-7649-88e9-f727b8c25e87', '127.0.0.1', 'lightMyRequest', '521eeab5-3ef4-49b5-8402-9a3c89000020', '{"method": "password", "mfa_pending": true}', 'success', '840'),
	(31, '01a1e343-ec0b-74dd-9637-c4bde3b91040', '2026-11-10 10:01:00+00', '01a1e343-c9e8-7649-88e9-fa08f4cb99a3', '01a1e343-c9e8-7649-88e9-f727b8c25e87', 'user', 'auth.mfa.challenge.succeeded', 'user', '01a1e343-c9e8-7649-88e9-f727b8c25e87', '127.0.0.1', 'lightMyRequest', '521eeab5-3ef4-49b5-8402-9a3c89000021', '{"method": "totp"}', 'success', '841'),
	(32, '01a1e343-ec7e-7340-b1a1-cf8aaceccf88', '2026-11-10 10:01:00+00', '01a1e343-c9e8-7649-88e9-fa08f4cb99a3', '01a1e343-c9e8-7649-88e9-f727b8c25e87', 'user', 'trusted_browser.added', 'trusted_browser', '01a1e343-ec46-71a6-a761-ab5367b66ef3', '127.0.0.1', 'lightMyRequest', '521eeab5-3ef4-49b5-8402-9a3c89000022', '{}', 'success', '842'),
	(33, '01a1e343-ed20-739a-b196-2060b18024fa', '2026-11-10 10:01:00+00', '01a1e343-c9e8-7649-88e9-fa08f4cb99a3', '01a1e343-c9e8-7649-88e9-f727b8c25e87', 'user', 'auth.login', 'user', '01a1e343-c9e8-7649-88e9-f727b8c25e87', '127.0.0.1', 'lightMyRequest', '521eeab5-3ef4-49b5-8402-9a3c89000023', '{"method": "password", "mfa_pending": true}', 'success', '843'),
	(34, '01a1e343-f7e4-7102-87d5-f064b25cf795', '2026-11-10 10:01:00+00', '00000000-0000-0000-0000-000000000000', NULL, 'system', 'signing_key.created', 'signing_key', 'Z0Nc1cnqAzUnS3VYOwslEDIpT5_e_o2I4K9Vow-NxOc', NULL, NULL, NULL, '{}', 'success', '844'),
	(35, '01a1e343-f859-7316-9585-f4b80e4af816', '2026-11-10 10:01:00+00', '01a1e343-c939-7383-9cf7-792d8eaef927', '01a1e343-c939-7383-9cf7-75ef714f5288', 'user', 'invitation.created', 'invitation', '01a1e343-f820-752c-9ec7-5f0b1e011a5c', '127.0.0.1', 'lightMyRequest', '521eeab5-3ef4-49b5-8402-9a3c89000024', '{"role": "admin"}', 'success', '846'),
	(36, '01a1e343-f8dd-7144-a8ff-189bba7a2e65', '2026-11-10 10:01:00+00', '01a1e343-cbc8-76cc-ba93-2a923e9dd762', '01a1e343-cbc8-76cc-ba93-240ae9a6ac3f', 'user', 'auth.email_otp.requested', 'user', '01a1e343-cbc8-76cc-ba93-240ae9a6ac3f', '127.0.0.1', 'lightMyRequest', '521eeab5-3ef4-49b5-8402-9a3c89000025', '{}', 'success', '850'),
	(37, '01a1e343-fb62-730a-b835-e58848551d68', '2026-11-10 10:01:00+00', '01a1e343-c939-7383-9cf7-792d8eaef927', '01a1e343-c939-7383-9cf7-75ef714f5288', 'user', 'auth.password_reset.requested', 'user', '01a1e343-c939-7383-9cf7-75ef714f5288', '127.0.0.1', 'lightMyRequest', '3025eb60-900f-4a54-883b-6818be000000', '{}', 'success', '854');
INSERT INTO public.audit_events_rest OVERRIDING SYSTEM VALUE VALUES
	(1, '01a1e343-b708-7446-97b0-1d80f7337b45', '2026-09-20 10:00:00+00', '00000000-0000-0000-0000-000000000000', NULL, 'system', 'signing_key.created', 'signing_key', 'uDZW5HeE8JdawlDFGFnhyK3YIEVlQX2c9G9JNN8vJ_w', NULL, NULL, NULL, '{}', 'success', '745'),
	(2, '01a1e343-c1f2-7604-9299-9a4fce012b4c', '2026-09-20 10:00:00+00', '01a1e343-c1ce-727c-87e4-bd88a37b772d', '01a1e343-c1cd-74a7-9c19-0997803f2c0c', 'user', 'auth.register', 'organization', '01a1e343-c1ce-727c-87e4-bd88a37b772d', '127.0.0.1', 'lightMyRequest', '521eeab5-3ef4-49b5-8402-9a3c89000000', '{}', 'success', '749'),
	(3, '01a1e343-c291-772c-a775-734ab6b36724', '2026-09-20 10:00:00+00', '01a1e343-c1ce-727c-87e4-bd88a37b772d', NULL, 'system', 'platform_role.changed', 'user', '01a1e343-c1cd-74a7-9c19-0997803f2c0c', NULL, NULL, NULL, '{"to": "owner", "from": null}', 'success', '749'),
	(4, '01a1e343-c888-7120-af1e-ec0bd92cfbf3', '2026-09-20 10:00:00+00', '01a1e343-c1ce-727c-87e4-bd88a37b772d', '01a1e343-c1cd-74a7-9c19-0997803f2c0c', 'user', 'mfa.enabled', 'user', '01a1e343-c1cd-74a7-9c19-0997803f2c0c', '127.0.0.1', 'lightMyRequest', '521eeab5-3ef4-49b5-8402-9a3c89000002', '{}', 'success', '753'),
	(5, '01a1e343-c947-7617-abe5-df8fa2b3b16e', '2026-09-20 10:00:00+00', '01a1e343-c939-7383-9cf7-792d8eaef927', '01a1e343-c939-7383-9cf7-75ef714f5288', 'user', 'auth.register', 'organization', '01a1e343-c939-7383-9cf7-792d8eaef927', '127.0.0.1', 'lightMyRequest', '521eeab5-3ef4-49b5-8402-9a3c89000003', '{}', 'success', '757'),
	(6, '01a1e343-c9f5-7242-9651-1370c265d9c9', '2026-09-20 10:00:00+00', '01a1e343-c9e8-7649-88e9-fa08f4cb99a3', '01a1e343-c9e8-7649-88e9-f727b8c25e87', 'user', 'auth.register', 'organization', '01a1e343-c9e8-7649-88e9-fa08f4cb99a3', '127.0.0.1', 'lightMyRequest', '521eeab5-3ef4-49b5-8402-9a3c89000004', '{}', 'success', '761'),
	(7, '01a1e343-ca72-72f8-96f7-0dae26413bb5', '2026-09-20 10:00:00+00', '01a1e343-c9e8-7649-88e9-fa08f4cb99a3', '01a1e343-c9e8-7649-88e9-f727b8c25e87', 'user', 'mfa.enabled', 'user', '01a1e343-c9e8-7649-88e9-f727b8c25e87', '127.0.0.1', 'lightMyRequest', '521eeab5-3ef4-49b5-8402-9a3c89000006', '{}', 'success', '764'),
	(8, '01a1e343-cbd1-75f8-a5ce-4d761b317a1b', '2026-09-20 10:00:00+00', '01a1e343-cbc8-76cc-ba93-2a923e9dd762', '01a1e343-cbc8-76cc-ba93-240ae9a6ac3f', 'user', 'auth.register', 'organization', '01a1e343-cbc8-76cc-ba93-2a923e9dd762', '127.0.0.1', 'lightMyRequest', '521eeab5-3ef4-49b5-8402-9a3c89000007', '{}', 'success', '768'),
	(9, '01a1e343-cd0a-75af-9a22-f1d4d311f37a', '2026-09-20 10:00:00+00', '01a1e343-cd01-71bc-a889-bf25cdd37dec', '01a1e343-cd00-71e0-b8a2-72c55e80257b', 'user', 'auth.register', 'organization', '01a1e343-cd01-71bc-a889-bf25cdd37dec', '127.0.0.1', 'lightMyRequest', '521eeab5-3ef4-49b5-8402-9a3c89000008', '{}', 'success', '772'),
	(10, '01a1e343-ce5b-737e-8d36-98d91964e094', '2026-09-20 10:00:00+00', '01a1e343-ce56-76a1-9151-dd6567006d63', '01a1e343-ce56-76a1-9151-d9ac4303361f', 'user', 'auth.register', 'organization', '01a1e343-ce56-76a1-9151-dd6567006d63', '127.0.0.1', 'lightMyRequest', '521eeab5-3ef4-49b5-8402-9a3c89000009', '{}', 'success', '776'),
	(11, '01a1e343-cfa1-74bc-93ce-a2c4fdcbd330', '2026-09-20 10:00:00+00', '01a1e343-cfa1-74bc-93ce-9c9b9808ca2f', NULL, 'system', 'auth.register', 'user', '015d3ef7-9800-71d1-be6d-c06d05cd21d0', NULL, NULL, NULL, '{}', 'success', '780');
INSERT INTO public.audit_hours OVERRIDING SYSTEM VALUE VALUES
	('auth.register', '2026-09-20 10:00:00+00', 7, 2, 11, 0, 0),
	('mfa.enabled', '2026-09-20 10:00:00+00', 2, 4, 7, 0, 0),
	('platform_role.changed', '2026-09-20 10:00:00+00', 1, 3, 3, 0, 0),
	('signing_key.created', '2026-09-20 10:00:00+00', 1, 1, 1, 0, 0),
	('', '2026-09-20 10:00:00+00', 11, 1, 11, 0, 0),
	('integration.updated', '2026-10-10 10:00:00+00', 2, 16, 17, 0, 0),
	('user.deleted', '2026-10-10 10:00:00+00', 1, 19, 19, 0, 0),
	('feature_flag.updated', '2026-10-10 10:00:00+00', 2, 14, 15, 0, 0),
	('auth.mfa.challenge.succeeded', '2026-10-10 10:00:00+00', 1, 13, 13, 1, 0),
	('auth.login', '2026-10-10 10:00:00+00', 2, 12, 20, 0, 1),
	('user.disabled', '2026-10-10 10:00:00+00', 1, 18, 18, 0, 0),
	('', '2026-10-10 10:00:00+00', 9, 12, 20, 1, 1);
INSERT INTO public.audit_mark OVERRIDING SYSTEM VALUE VALUES
	(true, '810', 0);
INSERT INTO public.avatars OVERRIDING SYSTEM VALUE VALUES
	('fb7b59be73d7508e21691ff73c8e55543eef01813d2ae9a9f6cbf2fbd86bdc8b', '01a1e343-c939-7383-9cf7-75ef714f5288', '\x52494646be0000005745425056503820b20000003011009d012a000100013e61309648a4232221202800800c09696ee176b11edc000013d807bed9390f7db2721efb64e43df6c9c87bed9390f7db2721efb64e43df6c9c87bed9390f7db2721efb64e43df6c9c87bed9390f7db2721efb64e43df6c9c87bed9390f7db2721efb64e43df6c9c87bed9390f7db2721efb64e43df6c9c87bed9390f7db2721efb64e43df6c9c28000feff65bbfffd44441492c3ffffa691ff1a47fc691f42800000000000000000', '2026-11-10 10:00:30+00');
INSERT INTO public.bus_events OVERRIDING SYSTEM VALUE VALUES
	(12, 'session', '01a1c4e6-ea30-776e-912a-ac9dc0752915', '2026-11-10 10:00:30+00', '838'),
	(13, 'signing_keys', 'Z0Nc1cnqAzUnS3VYOwslEDIpT5_e_o2I4K9Vow-NxOc', '2026-11-10 10:01:00+00', '844');
INSERT INTO public.feature_flags OVERRIDING SYSTEM VALUE VALUES
	('beta', NULL, true, '{"limit": 5}', '2026-10-10 10:00:30+00'),
	('beta', '01a1e343-c939-7383-9cf7-792d8eaef927', false, NULL, '2026-10-10 10:00:30+00');
INSERT INTO public.foreign_hash_keys OVERRIDING SYSTEM VALUE VALUES
	('01a0be42-2100-74d0-99b4-44adf7b214e4', 'v1:eaaba9efa8c3fe3d:qYwTw5YSQ1wDEaskrQmMh0SaYBegbYoJtO_Tjfiyf0fNrgiES8-J2e8AEmRtlGB86_E_nUfkaakTOPZcHs1lhS2PT1qe1JdwhOooyu_Ydn2o0wwAz54QZHt3EMQ', '2026-09-20 10:00:00+00');
INSERT INTO public.identities OVERRIDING SYSTEM VALUE VALUES
	('01a1e343-db9c-709c-bc06-4d9c30eff34a', '01a1e343-db9b-7375-8d6d-3e3405c3149d', 'oauth_b', 'https://github.com', '583231', 'oauth_b@example.com', '2026-11-10 10:00:30+00', '2026-11-10 10:00:30+00', NULL);
INSERT INTO public.imports OVERRIDING SYSTEM VALUE VALUES
	('01a1e343-ea21-7615-9beb-f41685ae3a55', 'users.ndjson', 0, '2026-11-10 10:00:30+00');
INSERT INTO public.invitations OVERRIDING SYSTEM VALUE VALUES
	('01a1e343-f820-752c-9ec7-5f0b1e011a5c', '01a1e343-c939-7383-9cf7-792d8eaef927', 'invited@example.com', 'admin', '01a1e343-c939-7383-9cf7-75ef714f5288', 'plain@example.com', '\x512f448beb42b2a2e66b027f97b2c8a3331b3d9689579a6137b54dd5a5d7f98f', '2026-11-10 10:01:00+00', '2026-11-17 10:01:00+00', NULL, NULL, NULL);
INSERT INTO public.mails OVERRIDING SYSTEM VALUE VALUES
	('01a1c4e6-ea30-76a5-bc0b-e76cb535ef77', 'verify_email', 'en', NULL, 'sent', 1, '2026-11-10 10:01:30+00', '2026-11-11 10:00:30+00', '2026-11-10 10:00:30+00', '2026-11-10 10:00:30+00', NULL, false),
	('01a1c4e6-ea30-7750-a425-af362e690524', 'passkey_added', 'en', NULL, 'sent', 1, '2026-11-10 10:01:30+00', '2026-11-13 10:00:30+00', '2026-11-10 10:00:30+00', '2026-11-10 10:00:30+00', NULL, false),
	('01a1c4e7-5f60-732a-8b99-ae7f97b2c8a3', 'invitation', 'en', NULL, 'sent', 1, '2026-11-10 10:02:00+00', '2026-11-17 10:01:00+00', '2026-11-10 10:01:00+00', '2026-11-10 10:01:00+00', NULL, false),
	('01a1c4e7-5f60-7255-bf3d-b05f1810828f', 'login_code', 'en', NULL, 'sent', 1, '2026-11-10 10:02:00+00', '2026-11-10 10:11:00+00', '2026-11-10 10:01:00+00', '2026-11-10 10:01:00+00', NULL, false),
	('01a1c4e7-5f60-763f-add8-05d34595dce7', 'password_reset', 'en', 'v1:eaaba9efa8c3fe3d:R3WimOzKzUfNzvSDM8CuB9w6Pvt4lmgKDmqYhkrz4Fu4Xxu5LSb1ao6hC5tOh_y8LP1SgOdphkYy7BsK_RNIgHHmNjG5tmG0i7kBgE8zx7c5rEDa9VdGcnDVhkJEOk-4fW2_M3RHL4YZImFI9h2xxCiHTRvxwzpYbci9jwmN6TPc6kw78D2X7D6e-HRoRmkhXD1C4E3tbz6K6Sczn4DQOhUWvHp6qq90nfKq', 'queued', 0, '2026-11-10 10:01:00+00', '2026-11-10 11:01:00+00', '2026-11-10 10:01:00+00', NULL, NULL, false);
INSERT INTO public.memberships OVERRIDING SYSTEM VALUE VALUES
	('01a1e343-c1ce-727c-87e4-bd88a37b772d', '01a1e343-c1cd-74a7-9c19-0997803f2c0c', 'owner', '2026-09-20 10:00:00+00', NULL),
	('01a1e343-c939-7383-9cf7-792d8eaef927', '01a1e343-c939-7383-9cf7-75ef714f5288', 'owner', '2026-09-20 10:00:00+00', NULL),
	('01a1e343-c9e8-7649-88e9-fa08f4cb99a3', '01a1e343-c9e8-7649-88e9-f727b8c25e87', 'owner', '2026-09-20 10:00:00+00', NULL),
	('01a1e343-cbc8-76cc-ba93-2a923e9dd762', '01a1e343-cbc8-76cc-ba93-240ae9a6ac3f', 'owner', '2026-09-20 10:00:00+00', NULL),
	('01a1e343-cd01-71bc-a889-bf25cdd37dec', '01a1e343-cd00-71e0-b8a2-72c55e80257b', 'owner', '2026-09-20 10:00:00+00', NULL),
	('01a1e343-cfa1-74bc-93ce-9c9b9808ca2f', '015d3ef7-9800-71d1-be6d-c06d05cd21d0', 'owner', '2026-09-20 10:00:00+00', NULL),
	('01a1e343-ce56-76a1-9151-dd6567006d63', '01a1e343-ce56-76a1-9151-d9ac4303361f', 'owner', '2026-09-20 10:00:00+00', '2026-10-10 10:00:30+00'),
	('01a1e343-db9c-709c-bc06-5251f23bdefc', '01a1e343-db9b-7375-8d6d-3e3405c3149d', 'owner', '2026-11-10 10:00:30+00', NULL);
INSERT INTO public.mfa_tokens OVERRIDING SYSTEM VALUE VALUES
	('01a1e343-ebd5-72bb-bbc9-2b4dc93b1e26', '01a1e343-c9e8-7649-88e9-f727b8c25e87', 0, '2026-11-10 10:01:00+00', '2026-11-10 10:01:00+00', '2026-11-10 10:11:00+00'),
	('01a1e343-ed20-739a-b196-2528ac5a77cd', '01a1e343-c9e8-7649-88e9-f727b8c25e87', 0, '2026-11-10 10:01:00+00', NULL, '2026-11-10 10:06:00+00');
INSERT INTO public.milestones OVERRIDING SYSTEM VALUE VALUES
	('initial_owner', '2026-09-20 10:00:00+00');
INSERT INTO public.oauth_states OVERRIDING SYSTEM VALUE VALUES
	('\xdb9ec75c3536cf48c9c221d033cb3f5ca21386092a9c44dbd65add27', '2026-11-10 10:10:30+00');
INSERT INTO public.one_time_tokens OVERRIDING SYSTEM VALUE VALUES
	('email_verification', '01a1e343-db9b-7375-8d6d-3e3405c3149d', '\x8d162ed9a3985425a131b12e4edfe96abf3c5efcb92c7d59efcb8cc35cff44d9', '01a1e343-db9b-7375-8d6d-3e3405c3149d', 'oauth_b@example.com', 0, '2026-11-10 10:00:30+00', '2026-11-11 10:00:30+00'),
	('login_code', '01a1e343-cbc8-76cc-ba93-240ae9a6ac3f', '\x4a63e5e24373d76208577fd8ee2abf20a59f572850db2a35f7f80d29d7ccfbac', NULL, NULL, 0, '2026-11-10 10:01:00+00', '2026-11-10 10:11:00+00'),
	('password_reset', '01a1e343-c939-7383-9cf7-75ef714f5288', '\x4d45ee8fc0856b5dc1b708ce373f9b408e9bbdf0461564d4d8bdd5e52b798456', NULL, 'plain@example.com', 0, '2026-11-10 10:01:00+00', '2026-11-10 11:01:00+00');
INSERT INTO public.organizations OVERRIDING SYSTEM VALUE VALUES
	('01a1e343-c1ce-727c-87e4-bd88a37b772d', 'Organization of owner', 'organization-of-owner', '2026-09-20 10:00:00+00', NULL),
	('01a1e343-c939-7383-9cf7-792d8eaef927', 'Organization of plain', 'organization-of-plain', '2026-09-20 10:00:00+00', NULL),
	('01a1e343-c9e8-7649-88e9-fa08f4cb99a3', 'Organization of app-holder', 'organization-of-app-holder', '2026-09-20 10:00:00+00', NULL),
	('01a1e343-cbc8-76cc-ba93-2a923e9dd762', 'Organization of keyholder', 'organization-of-keyholder', '2026-09-20 10:00:00+00', NULL),
	('01a1e343-cd01-71bc-a889-bf25cdd37dec', 'Organization of disabled', 'organization-of-disabled', '2026-09-20 10:00:00+00', NULL),
	('01a1e343-ce56-76a1-9151-dd6567006d63', 'Organization of deleted', 'organization-of-deleted', '2026-09-20 10:00:00+00', NULL),
	('01a1e343-cfa1-74bc-93ce-9c9b9808ca2f', 'firebase', 'firebase', '2026-09-20 10:00:00+00', NULL),
	('01a1e343-db9c-709c-bc06-5251f23bdefc', 'Robin Example', 'robin-example', '2026-11-10 10:00:30+00', NULL);
INSERT INTO public.passkey_challenges OVERRIDING SYSTEM VALUE VALUES
	('\x6c0793d641fa4960f518aea7cb123781a28ebd58c6fde84cb9885621', '2026-11-10 10:05:30+00'),
	('\xae74e30f78c36d9ddd1e8ad16b73f38cefd67221a354572ae2e55470', '2026-11-10 10:05:30+00');
INSERT INTO public.passkeys OVERRIDING SYSTEM VALUE VALUES
	('01a1e343-e856-7494-8346-5bb1dc7a1d47', '01a1e343-cbc8-76cc-ba93-240ae9a6ac3f', '\x6120706173736b6579206f66207468652066726f7a656e', '\xa50102032620012158201e7bf3fdfae0e53cbe4b2cd51c22f881110f4d8205373652296778dee5d306fb225820019d5261ec1b2c9365f89be2f206ab2a057c7a555dc047b1f98bcd93120886d5', 1, 'lightMyRequest', 'singleDevice', false, '{hybrid,internal}', 'adce0002-35bc-c60a-648b-0b25f1f05503', '2026-11-10 10:00:30+00', '2026-11-10 10:00:30+00', NULL);
INSERT INTO public.password_counts OVERRIDING SYSTEM VALUE VALUES
	('$firebase-scrypt$ln=14,r=8', 1),
	('', 5);
INSERT INTO public.provider_configs OVERRIDING SYSTEM VALUE VALUES
	('oauth_b', true, '{"client_id": "oauth_b-client"}', 'v1:4727ed9682aaa9f9:OthNb1oioNeEGLaEp5nf3GSGVuo8DYQf0M27b43IJ-k2n-AfEtZunpKm-pK4cIca4RJycFuvsFZBNDhUkC3ivcpBvr1CmFU', '2026-10-10 10:00:30+00'),
	('oauth_a', false, '{"client_id": "a"}', 'v1:4727ed9682aaa9f9:NqKaXVZnuTJiqapmPWW1V4dHek4bFibfk85RNDdngmsa2-0-YrzdrPOW', '2026-10-10 10:00:30+00');
INSERT INTO public.rate_counters OVERRIDING SYSTEM VALUE VALUES
	('\xaa216738577e82ac9fa6c535c99c8128', 0, '2026-11-10 11:00:30+00'),
	('\x19d53d283d4ba44dd99adf195413f291', 1, '2026-11-10 11:00:30+00'),
	('\xbf6d783841087653e5f88563a6c7b9c3', 1, '2026-11-10 10:10:30+00'),
	('\x12963bcd8453fdea90e01f21acb0061f', 1, '2026-11-10 10:11:00+00'),
	('\x48057137e38c75e141616880e68402a2', 1, '2026-11-10 11:01:00+00'),
	('\x6eba14aa45b5815825890df1dbcc851f', 1, '2026-11-10 10:11:00+00'),
	('\x07478986e9256d3d282c9328d8a45b7f', 1, '2026-11-10 10:11:00+00'),
	('\x478c4bdb2116184b705d6386057458a0', 3, '2026-11-10 11:01:00+00'),
	('\x95a6dfa9f63216041c97bf0c07bb2665', 1, '2026-11-10 10:11:00+00');
INSERT INTO public.recovery_codes OVERRIDING SYSTEM VALUE VALUES
	('01a1e343-c1cd-74a7-9c19-0997803f2c0c', '\x769a13132372dfa2a0cf08c281fae7afcfe166c6e578c596d4fcbb9acbca6b68', '2026-09-20 10:00:00+00', NULL),
	('01a1e343-c1cd-74a7-9c19-0997803f2c0c', '\x3ca282ecb2ba308ea5e3f647bff6f48a58721515a9bc00a7515886f97ea54ef0', '2026-09-20 10:00:00+00', NULL),
	('01a1e343-c1cd-74a7-9c19-0997803f2c0c', '\xb977313023534ecd3d960e4572caee48d0fab8b9e750b2b91b2c538248cf1fe2', '2026-09-20 10:00:00+00', NULL),
	('01a1e343-c1cd-74a7-9c19-0997803f2c0c', '\x6b283e1f9736a9a12575c41ce91b4777c57fb8dc5f3c44811915f3cdc5d74223', '2026-09-20 10:00:00+00', NULL),
	('01a1e343-c1cd-74a7-9c19-0997803f2c0c', '\x32d4d01cef896816ba5a5b4316cad33aadd9896f5caa24b2bb0d6119f8959d9d', '2026-09-20 10:00:00+00', NULL),
	('01a1e343-c1cd-74a7-9c19-0997803f2c0c', '\x80128d10223ff8d616a7ee36b55f094a07832e9192b5d563ead016ff741833be', '2026-09-20 10:00:00+00', NULL),
	('01a1e343-c1cd-74a7-9c19-0997803f2c0c', '\x1ecf0061bf41148af80d3fe6615b553f3eb6d8321c55aa47e5659235832ac9d9', '2026-09-20 10:00:00+00', NULL),
	('01a1e343-c1cd-74a7-9c19-0997803f2c0c', '\xa7140232f2f02f008ad5bfc2d97ea412142a2e4883b2eb9616d1ac7ec5b1704e', '2026-09-20 10:00:00+00', NULL),
	('01a1e343-c1cd-74a7-9c19-0997803f2c0c', '\x1d61020d3942d2d456548428afad7a9eccb406f18f0c6e1d4cea1bf1a4122d63', '2026-09-20 10:00:00+00', NULL),
	('01a1e343-c1cd-74a7-9c19-0997803f2c0c', '\xe314a6b9f519881196810216a8cafde62a76bea238dcbf68dc290a3c37f51ccf', '2026-09-20 10:00:00+00', NULL),
	('01a1e343-c9e8-7649-88e9-f727b8c25e87', '\x58d633869329a4e8b56c428d12b8f0e6cfc419c098dc8a133d499d995f3d0d48', '2026-09-20 10:00:00+00', NULL),
	('01a1e343-c9e8-7649-88e9-f727b8c25e87', '\x902796e41b1f19bbee0b144ca83228a70f6ac9c6e33dbe766ac7966077e8eece', '2026-09-20 10:00:00+00', NULL),
	('01a1e343-c9e8-7649-88e9-f727b8c25e87', '\xdfba8e4d1e841dbf86c6044e6a1a0b0439244df44f763478c111490d972f2ee2', '2026-09-20 10:00:00+00', NULL),
	('01a1e343-c9e8-7649-88e9-f727b8c25e87', '\xfe7ee97fdd2d8d78d4138ff3addd5f4bf7a2273daa628544443ec2dc67f852a1', '2026-09-20 10:00:00+00', NULL),
	('01a1e343-c9e8-7649-88e9-f727b8c25e87', '\x9d5c76e60b825acef59b59cb2f32871320cdf681491772d414e43c5531e05279', '2026-09-20 10:00:00+00', NULL),
	('01a1e343-c9e8-7649-88e9-f727b8c25e87', '\x9eb592a09065bec7ebc42223ff3e52588a6b6ae8bb0604795fe89f8137dbf733', '2026-09-20 10:00:00+00', NULL),
	('01a1e343-c9e8-7649-88e9-f727b8c25e87', '\xade3615653882e917777eb0cf4e3b7c650ab3ca22712ef527a6f1b93bb78cac6', '2026-09-20 10:00:00+00', NULL),
	('01a1e343-c9e8-7649-88e9-f727b8c25e87', '\xfb7cf8ce684571ac3c77fd616ad4a4c801197d7d278b03dae81f520c1f15b2fd', '2026-09-20 10:00:00+00', NULL),
	('01a1e343-c9e8-7649-88e9-f727b8c25e87', '\x71a5ea786c5b4b0fdaaef42815375ea7006a8d5a62b017c991d69ec0a03464ed', '2026-09-20 10:00:00+00', NULL),
	('01a1e343-c9e8-7649-88e9-f727b8c25e87', '\xcdd4a5102c4aff1a182af785d17d71b689d6e1c488055863b230147ddad8920e', '2026-09-20 10:00:00+00', NULL);
INSERT INTO public.refresh_uses OVERRIDING SYSTEM VALUE VALUES
	('0651368c-578c-425a-8e2c-ab571ebc5cdd', '2026-11-10 10:00:30+00');
INSERT INTO public.revocations OVERRIDING SYSTEM VALUE VALUES
	('01a1c4e6-ea30-776e-912a-ac9dc0752915', '2026-11-10 10:00:30+00', '2026-11-10 10:15:30+00');
INSERT INTO public.schema_migrations OVERRIDING SYSTEM VALUE VALUES
	(1, 'foundation', '2026-09-20 10:00:00+00'),
	(2, 'accounts', '2026-09-20 10:00:00+00'),
	(3, 'second-factors', '2026-09-20 10:00:00+00'),
	(4, 'third-parties', '2026-09-20 10:00:00+00'),
	(5, 'administration', '2026-09-20 10:00:00+00'),
	(6, 'console', '2026-09-20 10:00:00+00'),
	(7, 'scale', '2026-09-20 10:00:00+00');
INSERT INTO public.sessions OVERRIDING SYSTEM VALUE VALUES
	('01a0be42-2100-72c2-933a-b5b4145d1d83', '01a1e343-c1cd-74a7-9c19-0997803f2c0c', '01a1e343-c1ce-727c-87e4-bd88a37b772d', 'password', 'aal2', '2026-09-20 10:00:00+00', '2026-09-20 10:00:00+00', '2026-09-20 10:00:00+00', '2026-09-20 10:00:00+00', '2026-10-20 10:00:00+00', '2026-09-20 10:15:00+00', '127.0.0.1', 'lightMyRequest', NULL, 'e865c4a4-d3d5-45aa-9e2c-1ff9a7edb624'),
	('01a0be42-2100-779d-a1df-3ae4515f0aeb', '01a1e343-c939-7383-9cf7-75ef714f5288', '01a1e343-c939-7383-9cf7-792d8eaef927', 'password', 'aal1', '2026-09-20 10:00:00+00', NULL, '2026-09-20 10:00:00+00', '2026-09-20 10:00:00+00', '2026-10-20 10:00:00+00', '2026-09-20 10:15:00+00', '127.0.0.1', 'lightMyRequest', NULL, '4d745aa5-9f85-4be2-8137-7bc94d196a20'),
	('01a0be42-2100-760c-a7ce-d2e719aa6463', '01a1e343-c9e8-7649-88e9-f727b8c25e87', '01a1e343-c9e8-7649-88e9-fa08f4cb99a3', 'password', 'aal2', '2026-09-20 10:00:00+00', '2026-09-20 10:00:00+00', '2026-09-20 10:00:00+00', '2026-09-20 10:00:00+00', '2026-10-20 10:00:00+00', '2026-09-20 10:15:00+00', '127.0.0.1', 'lightMyRequest', NULL, '6e7ea25f-c14e-4c6e-a087-1d485846b6b4'),
	('01a0be42-2100-7249-984e-e01f0d16a73b', '01a1e343-cbc8-76cc-ba93-240ae9a6ac3f', '01a1e343-cbc8-76cc-ba93-2a923e9dd762', 'password', 'aal1', '2026-09-20 10:00:00+00', NULL, '2026-09-20 10:00:00+00', '2026-09-20 10:00:00+00', '2026-10-20 10:00:00+00', '2026-09-20 10:15:00+00', '127.0.0.1', 'lightMyRequest', NULL, '80df2c8d-3a57-46ae-9487-78aab0235419'),
	('01a12541-c630-70a3-9110-1d63004b60e4', '01a1e343-c1cd-74a7-9c19-0997803f2c0c', '01a1e343-c1ce-727c-87e4-bd88a37b772d', 'password_with_mfa', 'aal2', '2026-10-10 10:00:30+00', '2026-10-10 10:00:30+00', '2026-10-10 10:00:30+00', '2026-10-10 10:00:30+00', '2026-11-09 10:00:30+00', '2026-10-10 10:15:30+00', '127.0.0.1', 'lightMyRequest', NULL, '016839ef-4f48-4886-9e01-0308132137ae'),
	('01a0be42-2100-749f-9b14-08888dfb3eca', '01a1e343-cd00-71e0-b8a2-72c55e80257b', '01a1e343-cd01-71bc-a889-bf25cdd37dec', 'password', 'aal1', '2026-09-20 10:00:00+00', NULL, '2026-09-20 10:00:00+00', '2026-09-20 10:00:00+00', '2026-10-20 10:00:00+00', '2026-09-20 10:15:00+00', '127.0.0.1', 'lightMyRequest', '2026-10-10 10:00:30+00', '01f22833-9ad8-477d-81d4-a149e9c88313'),
	('01a0be42-2100-74d4-bbc3-416ce6ca4a40', '01a1e343-ce56-76a1-9151-d9ac4303361f', '01a1e343-ce56-76a1-9151-dd6567006d63', 'password', 'aal1', '2026-09-20 10:00:00+00', NULL, '2026-09-20 10:00:00+00', '2026-09-20 10:00:00+00', '2026-10-20 10:00:00+00', '2026-09-20 10:15:00+00', '127.0.0.1', 'lightMyRequest', '2026-10-10 10:00:30+00', '88d0c4ff-682d-4b26-b260-a3e2f8a41302'),
	('01a1c4e6-ea30-761a-80c5-cf21b857d23d', '01a1e343-db9b-7375-8d6d-3e3405c3149d', '01a1e343-db9c-709c-bc06-5251f23bdefc', 'social_oauth', 'aal1', '2026-11-10 10:00:30+00', NULL, '2026-11-10 10:00:30+00', '2026-11-10 10:00:30+00', '2026-12-10 10:00:30+00', '2026-11-10 10:15:30+00', '127.0.0.1', 'lightMyRequest', NULL, '4d03e7ca-7613-4526-9a81-dbdd0d4abba8'),
	('01a1c4e6-ea30-7649-952b-751cbc6bc357', '01a1e343-c939-7383-9cf7-75ef714f5288', '01a1e343-c939-7383-9cf7-792d8eaef927', 'password', 'aal1', '2026-11-10 10:00:30+00', NULL, '2026-11-10 10:00:30+00', '2026-11-10 10:00:30+00', '2026-12-10 10:00:30+00', '2026-11-10 10:15:30+00', '127.0.0.1', 'lightMyRequest', NULL, '23d47675-63df-41fc-9cfc-4184bf466a32'),
	('01a1c4e6-ea30-77ad-a231-228a24f37993', '01a1e343-cbc8-76cc-ba93-240ae9a6ac3f', '01a1e343-cbc8-76cc-ba93-2a923e9dd762', 'password', 'aal1', '2026-11-10 10:00:30+00', NULL, '2026-11-10 10:00:30+00', '2026-11-10 10:00:30+00', '2026-12-10 10:00:30+00', '2026-11-10 10:15:30+00', '127.0.0.1', 'lightMyRequest', NULL, '4d8d5ebb-33a1-4fcd-82c8-271e284fb1c6'),
	('01a1c4e6-ea30-75f6-964c-e6f0ee3c96aa', '01a1e343-cbc8-76cc-ba93-240ae9a6ac3f', '01a1e343-cbc8-76cc-ba93-2a923e9dd762', 'passkey', 'aal2', '2026-11-10 10:00:30+00', '2026-11-10 10:00:30+00', '2026-11-10 10:00:30+00', '2026-11-10 10:00:30+00', '2026-12-10 10:00:30+00', '2026-11-10 10:15:30+00', '127.0.0.1', 'lightMyRequest', NULL, '69339577-acb2-4464-b735-e92fc2f03e6a'),
	('01a1c4e6-ea30-776e-912a-ac9dc0752915', '01a1e343-c939-7383-9cf7-75ef714f5288', '01a1e343-c939-7383-9cf7-792d8eaef927', 'password', 'aal1', '2026-11-10 10:00:30+00', NULL, '2026-11-10 10:00:30+00', '2026-11-10 10:00:30+00', '2026-12-10 10:00:30+00', '2026-11-10 10:15:30+00', '127.0.0.1', 'lightMyRequest', '2026-11-10 10:00:30+00', '942ba3d4-3f28-80db-82ac-0a18813df180'),
	('01a1c4e7-5f60-71ac-96db-42b1a3b4a8be', '01a1e343-c9e8-7649-88e9-f727b8c25e87', '01a1e343-c9e8-7649-88e9-fa08f4cb99a3', 'password_with_mfa', 'aal2', '2026-11-10 10:01:00+00', '2026-11-10 10:01:00+00', '2026-11-10 10:01:00+00', '2026-11-10 10:01:00+00', '2026-12-10 10:01:00+00', '2026-11-10 10:16:00+00', '127.0.0.1', 'lightMyRequest', NULL, 'ab8388f9-39fd-4292-99b9-d81f3ed65445');
INSERT INTO public.signing_keys OVERRIDING SYSTEM VALUE VALUES
	('uDZW5HeE8JdawlDFGFnhyK3YIEVlQX2c9G9JNN8vJ_w', '{"e": "AQAB", "n": "ogtAEUlKT0yfofw556aHWcF8BosOAQ8r33krTnfXa0S1320VHSGPZKGkrKn9xqaRKlFsd3a76siLLxXYPZh_cUVLv91HzZhCmjYmDFTFgWDyekmHQRtsvqtxG1NrSaL-DR0dfmVoHud0gq0GNNmH3pFIf_byKhgXju3wVzaUoR1aFN7R2nl_mv6e1lbky_azoGWZMA47JHoNolW4A4J-k9A87-LNT1VsoRxUpNOhU2dHu5JOEjECrmNasst3B3dIG0Ua_PJNi6MMvcf09f3xw3AQ03FlugyKQwQephd-drunoL92CpwoscJdHaFsi9n4GHBCAVHLO9aykp0BzDIfZw"}', 'v1:eaaba9efa8c3fe3d:xooCEMnMHp3RXiYEjN0Me-2AXleOMKHD22Z2m25mm2WBoCWcWsW4jzwH4u18cxaRto4uVHVUgljJ13wOGTDCD4LlVxyoKJjepcWiC7sabv-y8SEQPE8WzzF4vZCUjdIaDnU1f4YktV5kp_suEe34shPurjqUphZCpGZS8YjMuRjjOBGlLGEnhhivHLv3SarkAfUzcPPX3QpLUcDDFY7g3kpPMwrqFY2Dw12BVPS8nuivyPG1wXT5TWpP_B6pLsdMULTamQRU4cE6WtB7dzppJ9eUNY8EyBD9ugFnL1Cw53Sp4oIDcjN6OIfUSYxZZ66Jq2f07NbhgcG7km8F7n5LwKU8Y_WFrvkzsyK6mYYmaBlAFxkxA5Jzsn-tvvJPRH_-HlnYCtnO6d5CY4QlbgCykhBCZeUmH2guHe3H55kYF-bYu6A3suNr_TkQL-gGL_YG37nh_qsfmFGdPYzQBfp82vEXs46x917VZXmjQ31LcgQFGya2HA0wT0nXngOMpPKd-ENNwOrYQ_-yHsi1NIVLr87xjFkjCnYdSF8vrJxACJzbDw_y-w2mY_PFGDtIHI2qnlfHeN5ajWIwid0f804KUmSJbqomWrRMvbdn8rdzW_isLf5WuFzKH4_bMe1i6scWOupnjJ55FnPSYc7-yWUQeMW-6p6FX2HC8kz8CXDT6GkBE-Rae_3PYxUpYw0Fkgp_WxqSwkBOiETjw169j-vlhH8kovliUsmROlk5P4nxIr_Nm_1a-z-_SBO0keHRNm9O5CMpBm-4aat5_V48I7mT_UyTSrZ8i7dEqm1--TcgkoDjmi4BTA3KFzmmA3xDFRbUKBPBV-nuIlSsdO5F354nQEBdtewWAgxloq7lmuQZc3S7CrQM5NdV2yjOtz-IuxhFwjCxPrGxbUpBvz0d3MwIehpwdfx2FiN_ysu4fN_DwvS8b4fxj15rphx6a754_IDAAgPtL3qnCRQEWqm053e4XV8jr1IOfFvYSAWyaQgwMRCZiny0qNOcD_jimikU_gIc3eCAurf6iV7IFSuJDWI7Fq7nlxk3ByPwUkqtvajXUmd-Po8Nwq9X-xo0aFDKAn8A7KE8GmM-G6G0w9y7sWWr6zTDfwKMO6IKFoVrQWv5LJQ_DB-pm5cWfH3AG4qI35VYfAzJjvfsARU_zNQvYizC8VIkSZ95juVTDuIHh5jTXzonwRr6NLj0FMF17bVIRQFGgWbjam-SzDTfLEhUvSUbO4z7g34QyGSQe_ni5EFiVNdy4Iy1hpYO9SrefrqKnX_2oeGjQ0OysVBmF4fUz-tmylNiymEy7X_Lw9qePxDxKnMFeFf1ouvPOQkUjCpDvowurB4e3zqJQNdNrXbKAPLDJ3F1qxNysQ3bxMp-Q1MkNpfq3X4voLbtdhq2KHJDDKx8fJt-pn7-ZHuBCqx014vd5_bdYT4u0ggEmzTgLHoEpSsujI9aIy6BfmVJD6zWfTrXp3oJFp3GzcVxKhA32WV7AJuQQfLhr6xR-GKIww0eiJ9L3oMsGTpVBf8rikXh3SloORsILKRxN2Ve9gG8fqKNn9p_RfICGuufSNYnv6F84vk6n5QNRUiN5DfkHUyTilYL3fGXx3C5KXIhResdMPj8ymHx_FbLRZAHk17ps9I2mvwNj3ZL-wqpMaGquwqr', '2026-09-20 10:00:00+00', '2026-09-20 10:00:00+00', '2026-11-10 10:27:00+00'),
	('Z0Nc1cnqAzUnS3VYOwslEDIpT5_e_o2I4K9Vow-NxOc', '{"e": "AQAB", "n": "1P7KraMJPpim2DUyeMauGYhWbyAU1hyFuxQv9fgh71mO8_1KKvc_KiY-YeSjKiJSyhSiUpTHNjyNFkn_ZbUxS1snaKzfXInR4p3a6R_LRrtds24qZwXZAcrUcEofz65PHuGIdEMhcrI4pyGidfRF3H0KrvuIHuyMYx8ESDdeW2qwR7w1y3adBVcwzMkGsPBMmvelJLHJw4b27iyN_sP-ja66or5mkqnnAaJPOujxk4vfnZF5SC1TsIuccSNVeIIDX5Xxt-IlKJ6wXR9BtSUjp287s2Cfb8Uxlmsa1l8DvtFVexTWu7W_i8o9FkiXl_0FsZ8JsrKN3Sky2cPYVFUzmQ"}', 'v1:eaaba9efa8c3fe3d:fJD0GSPTdP6251TzKGsV2BKlhVtL6TwGpF8kE3CuL5oikDHe3-ldvBBNrFdXv0OnuaRxqW3Bo_QoDUTs7RE1oIMqOYA0O6VULrcyLIk2oM0NE4Z4lHmPqTFliOqcpJIfaWoZg71x9WkTJPUTa3aNB9BAmMWDNLdCE-TZzmVs6LcfCFe-vNLKMGT8Sf7bv7u_KLVETlGbas_x-LKbVPclN5qNT_bVywMxFxP6Hbf9-WgtZvyjboYUm4-NtaTxPi4SjqWtnCS5z6SgmrUMOOg0kV2j_RyWtOS5YwQIIymnbZDMk1wjIVznhwxpcQiv5Hp8JHQDBVtyQwYaIj9uvoc-1G1oCXgGCisp-3Dq3IlqYAeHDuKVwF6sdbV3LhT9Yex4Xun9b72MqS3iYff76uGD7RjejHDHaOOy-YJAcSqakeiS6D6ms4pGPTVisCaqGgVDdUrFfA2jTuDZ5C0h-i1vWrEf9oeDJJiqD7xAOB4q3zBurmxTIiQRdh0kdJNUn5LmBieWGCOhLuvvpRNmKqsDJl6HWk5gt1Ik-HU7WQYXvUI_ltPbNaX2HEn-4HzBjQ29NI40PHjocA4NIGDBiLIZ2NxEkX9QhzXyj4lRLP6COLo5JYKV_PXPD6LvG8dw5CJgxyBw3Cpp6u6DN3KtpP2HjRsAtWyNs-yzenoWZa9cXLhj93Yv89EZVwY1_gxo8L1fUuOAkR6DNkt0yt7mejOqCRi8WlgvYmmM6MCDyn6yb0HvGRtUKAsEzWUR78W-jtY31A77llKrdoPY1fbXdLoJ1ButrsRr3ecrtLQ4ZrvDQmMda-f75hSRcIrkdxIPsxKIk2YLx-qctj7tuvq8qORdqVIWdFqQH9BKxdy2Lmn-jfs3zv9CvUsbYhTaSzHzILqX9SzPk0XbfQAf3pvMviAK_WzeIAvC7jV0OmnQbr2jSFdjVrOI9Rgvx9Y97e0YqNYeq90jkM89i8QNIELjTC9Dr4E9482KwDmtv5ZXOxulw_UZnmINud4oJpqes1fe8hItihtvnDrcd-D15lJzaHu7C6T_FgrMl-yB-R9-nA35m3by2uQ0ncP_8jppnppIUzWV8CnKWVT6NP0ljLiCnbwoe3UsQoyG1XbygAtBmwPq0Vkqdj-HnShmBIwk8mVd_rM8bDkwZORmBi1CueKZuK6i1YqdlChHKqHuPU0Jp4Zd0KAC7Oev3rW9vVjaWQEyM4srhkLm5n_-hxOlWS1CE9vG4lO6Sa2KVeuZ6TYV2wHTswKY1Pae8k1_Vs7DLxyuh6YjnqhFEjvxfHD-xZXXG9k0NyoA9zvvvnIRXsFS0qRTEWeC27DwRNnvoGz4MYLQ_vBX9AQ7uHo6rS-2bsZFuerBeTkwmWte6JCCKepO2nDGznaepVAt9ap_xQXFuuQTYfJvVjXrthNPE7M3YZSTtHE6fkfUBL3vYQShtC_XQ3UqgcJEGZwh6NGjV21G66kH13tLwKkhSD8Cpd4xwdjDTWn-9_sSBXLv89uQHllfMl_9z1VUYj2ib6Tl64EuBrjTr6V1nQG4VZgAXKHki-YlwHMvjvKk2MuXOKCh9wcv0eFlcPRKP2W8epBmCJtn1xWc_IouNbwkTAcpKeicvkJfpQh4N3ltV8sG7sWFntM8UIDa7cMi9fAdrE2sIQXlf98I', '2026-11-10 10:01:00+00', '2026-11-10 10:11:00+00', NULL);
INSERT INTO public.totp_secrets OVERRIDING SYSTEM VALUE VALUES
	('01a1e343-c1cd-74a7-9c19-0997803f2c0c', 'v1:eaaba9efa8c3fe3d:r9-dQlo9SW17OJJfh6EEEwPToDermd_n6ulsh0__3Bct6ODfPgVaN8o0s06Aktw8', '2026-09-20 10:00:00+00', NULL, '{59720881}'),
	('01a1e343-c9e8-7649-88e9-f727b8c25e87', 'v1:eaaba9efa8c3fe3d:NW30Gcg1j4E7VEWn3Vr96Y5ofArwuub9TDev0D2IXm9FBMNa_3dW3ccVGm-DdcDs', '2026-09-20 10:00:00+00', NULL, '{59810162}');
INSERT INTO public.trusted_browsers OVERRIDING SYSTEM VALUE VALUES
	('01a1e343-ec46-71a6-a761-ab5367b66ef3', '01a1e343-c9e8-7649-88e9-f727b8c25e87', '\x5250d97d027425d4fbbf1946bfeccbda6c08a59b4c7cf9fecf2d759fed701d2f', 'lightMyRequest', 'lightMyRequest', '2026-11-10 10:01:00+00', NULL, '2026-12-10 10:01:00+00', NULL);
INSERT INTO public.turns OVERRIDING SYSTEM VALUE VALUES
	('sweep', '2026-11-10 10:00:30+00');
INSERT INTO public.user_counts OVERRIDING SYSTEM VALUE VALUES
	('disabled', 1),
	('deleted', 1),
	('active', 5),
	('active', 1);
INSERT INTO public.users OVERRIDING SYSTEM VALUE VALUES
	('015d3ef7-9800-71d1-be6d-c06d05cd21d0', 'firebase@example.com', '2026-09-20 10:00:00+00', NULL, NULL, 'active', NULL, '2017-07-14 02:40:00+00', '2026-09-20 10:00:00+00', '$firebase-scrypt$ln=14,r=8$01a0be42-2100-74d0-99b4-44adf7b214e4$wdML8GD0UKjw+g$Bw$ms9sXFiwTG+34ir/21cz5qJjVquI4wuiwcE+1AtSumXGzpvKHZrS9gw9IiK1o2jQoMjOnugj6p7xDNUFhmIaHA', NULL, NULL, '01a1e343-cfa1-74bc-93ce-9c9b9808ca2f', NULL, NULL),
	('01a1e343-c1cd-74a7-9c19-0997803f2c0c', 'owner@example.com', NULL, 'owner', NULL, 'active', 'owner', '2026-09-20 10:00:00+00', '2026-09-20 10:00:00+00', '$argon2id$v=19$m=19456,t=2,p=1$vfTs5jnaaZF161OK2284Xw$GlVRbyuEcXbwg+gnhJykpWQoHI7xO3VNthgaDsDtxX0', '2026-09-20 10:00:00+00', '2026-10-10 10:00:30+00', '01a1e343-c1ce-727c-87e4-bd88a37b772d', '2026-09-20 10:00:00+00', NULL),
	('01a1e343-cd00-71e0-b8a2-72c55e80257b', 'disabled@example.com', NULL, 'disabled', NULL, 'disabled', NULL, '2026-09-20 10:00:00+00', '2026-10-10 10:00:30+00', '$argon2id$v=19$m=19456,t=2,p=1$KoBzBr34gVkT9I/luVhExg$RxlVQcEiqDIivsbR1+HwCQ+20a1DQLe4QzBnvvE5xsc', '2026-09-20 10:00:00+00', '2026-09-20 10:00:00+00', '01a1e343-cd01-71bc-a889-bf25cdd37dec', NULL, NULL),
	('01a1e343-ce56-76a1-9151-d9ac4303361f', 'deleted@example.com', NULL, 'deleted', NULL, 'deleted', NULL, '2026-09-20 10:00:00+00', '2026-10-10 10:00:30+00', NULL, '2026-09-20 10:00:00+00', '2026-09-20 10:00:00+00', NULL, NULL, NULL),
	('01a1e343-db9b-7375-8d6d-3e3405c3149d', 'oauth_b@example.com', NULL, 'Robin Example', NULL, 'active', NULL, '2026-11-10 10:00:30+00', '2026-11-10 10:00:30+00', NULL, NULL, '2026-11-10 10:00:30+00', '01a1e343-db9c-709c-bc06-5251f23bdefc', NULL, NULL),
	('01a1e343-cbc8-76cc-ba93-240ae9a6ac3f', 'keyholder@example.com', NULL, 'keyholder', NULL, 'active', NULL, '2026-09-20 10:00:00+00', '2026-09-20 10:00:00+00', '$argon2id$v=19$m=19456,t=2,p=1$lAQWoekEHN2chOI39SCJTQ$OaVg1gISpRTz/5Bf6fe7OawxXiFy4tAfhv5za0AffjE', '2026-09-20 10:00:00+00', '2026-11-10 10:00:30+00', '01a1e343-cbc8-76cc-ba93-2a923e9dd762', NULL, NULL),
	('01a1e343-c939-7383-9cf7-75ef714f5288', 'plain@example.com', NULL, 'plain', NULL, 'active', NULL, '2026-09-20 10:00:00+00', '2026-11-10 10:00:30+00', '$argon2id$v=19$m=19456,t=2,p=1$y+Xg231TyTXhjD6DSZc0pA$KuGCT+w/IXQIQtbXCckMH191USO1BffqfZhGrzpLmK8', '2026-09-20 10:00:00+00', '2026-11-10 10:00:30+00', '01a1e343-c939-7383-9cf7-792d8eaef927', NULL, 'fb7b59be73d7508e21691ff73c8e55543eef01813d2ae9a9f6cbf2fbd86bdc8b'),
	('01a1e343-c9e8-7649-88e9-f727b8c25e87', 'app-holder@example.com', NULL, 'app-holder', NULL, 'active', NULL, '2026-09-20 10:00:00+00', '2026-09-20 10:00:00+00', '$argon2id$v=19$m=19456,t=2,p=1$EUQKoxZQdkKTBvuXbOJOow$C/lnl6qBC+8QKd3Cd657Es9DG1YJ9oyN9EyW4WEHSek', '2026-09-20 10:00:00+00', '2026-11-10 10:01:00+00', '01a1e343-c9e8-7649-88e9-fa08f4cb99a3', '2026-09-20 10:00:00+00', NULL);
SELECT pg_catalog.setval('public.audit_events_id_seq', 37, true);
SELECT pg_catalog.setval('public.bus_events_id_seq', 13, true);
ALTER TABLE ONLY public.audit_events
    ADD CONSTRAINT audit_events_pkey PRIMARY KEY (id, "timestamp");
ALTER TABLE ONLY public.audit_events_202610
    ADD CONSTRAINT audit_events_202610_pkey PRIMARY KEY (id, "timestamp");
ALTER TABLE ONLY public.audit_events_202611
    ADD CONSTRAINT audit_events_202611_pkey PRIMARY KEY (id, "timestamp");
ALTER TABLE ONLY public.audit_events_202612
    ADD CONSTRAINT audit_events_202612_pkey PRIMARY KEY (id, "timestamp");
ALTER TABLE ONLY public.audit_events_rest
    ADD CONSTRAINT audit_events_rest_pkey PRIMARY KEY (id, "timestamp");
ALTER TABLE ONLY public.audit_hours
    ADD CONSTRAINT audit_hours_pkey PRIMARY KEY (action, hour);
ALTER TABLE ONLY public.audit_mark
    ADD CONSTRAINT audit_mark_pkey PRIMARY KEY (only_one);
ALTER TABLE ONLY public.avatars
    ADD CONSTRAINT avatars_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.bus_events
    ADD CONSTRAINT bus_events_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.foreign_hash_keys
    ADD CONSTRAINT foreign_hash_keys_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.identities
    ADD CONSTRAINT identities_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.imports
    ADD CONSTRAINT imports_pkey PRIMARY KEY (export_id, file);
ALTER TABLE ONLY public.invitations
    ADD CONSTRAINT invitations_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.mails
    ADD CONSTRAINT mails_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.memberships
    ADD CONSTRAINT memberships_pkey PRIMARY KEY (organization_id, user_id);
ALTER TABLE ONLY public.mfa_tokens
    ADD CONSTRAINT mfa_tokens_pkey PRIMARY KEY (jti);
ALTER TABLE ONLY public.milestones
    ADD CONSTRAINT milestones_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.oauth_states
    ADD CONSTRAINT oauth_states_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.one_time_tokens
    ADD CONSTRAINT one_time_tokens_pkey PRIMARY KEY (kind, subject);
ALTER TABLE ONLY public.organizations
    ADD CONSTRAINT organizations_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.organizations
    ADD CONSTRAINT organizations_slug_key UNIQUE (slug);
ALTER TABLE ONLY public.passkey_challenges
    ADD CONSTRAINT passkey_challenges_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.passkeys
    ADD CONSTRAINT passkeys_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.provider_configs
    ADD CONSTRAINT provider_configs_pkey PRIMARY KEY (provider);
ALTER TABLE ONLY public.rate_counters
    ADD CONSTRAINT rate_counters_pkey PRIMARY KEY (key);
ALTER TABLE ONLY public.recovery_codes
    ADD CONSTRAINT recovery_codes_pkey PRIMARY KEY (user_id, code_hash);
ALTER TABLE ONLY public.refresh_uses
    ADD CONSTRAINT refresh_uses_pkey PRIMARY KEY (jti);
ALTER TABLE ONLY public.revocations
    ADD CONSTRAINT revocations_pkey PRIMARY KEY (sid);
ALTER TABLE ONLY public.schema_migrations
    ADD CONSTRAINT schema_migrations_pkey PRIMARY KEY (version);
ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.signing_keys
    ADD CONSTRAINT signing_keys_pkey PRIMARY KEY (kid);
ALTER TABLE ONLY public.totp_secrets
    ADD CONSTRAINT totp_secrets_pkey PRIMARY KEY (user_id);
ALTER TABLE ONLY public.trusted_browsers
    ADD CONSTRAINT trusted_browsers_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.turns
    ADD CONSTRAINT turns_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_pkey PRIMARY KEY (id);
CREATE INDEX audit_events_action_idx ON ONLY public.audit_events USING btree (action, id) INCLUDE ("timestamp");
CREATE INDEX audit_events_202610_action_id_timestamp_idx ON public.audit_events_202610 USING btree (action, id) INCLUDE ("timestamp");
CREATE INDEX audit_events_actor_idx ON ONLY public.audit_events USING btree (actor_id, id) INCLUDE ("timestamp", action);
CREATE INDEX audit_events_202610_actor_id_id_timestamp_action_idx ON public.audit_events_202610 USING btree (actor_id, id) INCLUDE ("timestamp", action);
CREATE INDEX audit_events_xid_idx ON ONLY public.audit_events USING btree (xid);
CREATE INDEX audit_events_202610_xid_idx ON public.audit_events_202610 USING btree (xid);
CREATE INDEX audit_events_202611_action_id_timestamp_idx ON public.audit_events_202611 USING btree (action, id) INCLUDE ("timestamp");
CREATE INDEX audit_events_202611_actor_id_id_timestamp_action_idx ON public.audit_events_202611 USING btree (actor_id, id) INCLUDE ("timestamp", action);
CREATE INDEX audit_events_202611_xid_idx ON public.audit_events_202611 USING btree (xid);
CREATE INDEX audit_events_202612_action_id_timestamp_idx ON public.audit_events_202612 USING btree (action, id) INCLUDE ("timestamp");
CREATE INDEX audit_events_202612_actor_id_id_timestamp_action_idx ON public.audit_events_202612 USING btree (actor_id, id) INCLUDE ("timestamp", action);
CREATE INDEX audit_events_202612_xid_idx ON public.audit_events_202612 USING btree (xid);
CREATE INDEX audit_events_rest_action_id_timestamp_idx ON public.audit_events_rest USING btree (action, id) INCLUDE ("timestamp");
CREATE INDEX audit_events_rest_actor_id_id_timestamp_action_idx ON public.audit_events_rest USING btree (actor_id, id) INCLUDE ("timestamp", action);
CREATE INDEX audit_events_rest_xid_idx ON public.audit_events_rest USING btree (xid);
CREATE INDEX avatars_user_idx ON public.avatars USING btree (user_id);
CREATE INDEX bus_events_created_idx ON public.bus_events USING btree (created_at);
CREATE INDEX bus_events_xid_idx ON public.bus_events USING btree (xid);
CREATE UNIQUE INDEX feature_flags_key ON public.feature_flags USING btree (flag_key, organization_id) NULLS NOT DISTINCT;
CREATE INDEX feature_flags_organization_idx ON public.feature_flags USING btree (organization_id);
CREATE INDEX identities_revoked_idx ON public.identities USING btree (revoked_at) WHERE (revoked_at IS NOT NULL);
CREATE UNIQUE INDEX identities_subject_key ON public.identities USING btree (provider, issuer, subject);
CREATE INDEX identities_user_idx ON public.identities USING btree (user_id);
CREATE INDEX invitations_end_idx ON public.invitations USING btree (COALESCE(closed_at, expires_at));
CREATE UNIQUE INDEX invitations_open_key ON public.invitations USING btree (organization_id, email) WHERE (closed_at IS NULL);
CREATE INDEX invitations_organization_idx ON public.invitations USING btree (organization_id, id);
CREATE UNIQUE INDEX invitations_token_key ON public.invitations USING btree (token_hash);
CREATE INDEX mails_dead_idx ON public.mails USING btree (state) WHERE ((state = ANY (ARRAY['failed'::text, 'expired'::text])) AND (NOT discard));
CREATE INDEX mails_due_idx ON public.mails USING btree (next_attempt_at) WHERE (state = 'queued'::text);
CREATE INDEX mails_finished_idx ON public.mails USING btree (finished_at) WHERE (state <> 'queued'::text);
CREATE INDEX memberships_joined_idx ON public.memberships USING btree (organization_id, joined_at, user_id) WHERE (revoked_at IS NULL);
CREATE INDEX memberships_revoked_idx ON public.memberships USING btree (revoked_at) WHERE (revoked_at IS NOT NULL);
CREATE INDEX memberships_user_idx ON public.memberships USING btree (user_id);
CREATE INDEX mfa_tokens_time_idx ON public.mfa_tokens USING btree (kept_until);
CREATE INDEX mfa_tokens_user_idx ON public.mfa_tokens USING btree (user_id);
CREATE INDEX oauth_states_expiry_idx ON public.oauth_states USING btree (expires_at);
CREATE INDEX one_time_tokens_expiry_idx ON public.one_time_tokens USING btree (expires_at);
CREATE UNIQUE INDEX one_time_tokens_hash_key ON public.one_time_tokens USING btree (token_hash);
CREATE INDEX organizations_search_idx ON public.organizations USING gin (name public.gin_trgm_ops, slug public.gin_trgm_ops);
CREATE INDEX passkey_challenges_expiry_idx ON public.passkey_challenges USING btree (expires_at);
CREATE UNIQUE INDEX passkeys_credential_key ON public.passkeys USING btree (credential_id);
CREATE INDEX passkeys_revoked_idx ON public.passkeys USING btree (revoked_at) WHERE (revoked_at IS NOT NULL);
CREATE INDEX passkeys_user_idx ON public.passkeys USING btree (user_id);
CREATE INDEX rate_counters_expiry_idx ON public.rate_counters USING btree (resets_at);
CREATE INDEX refresh_uses_time_idx ON public.refresh_uses USING btree (used_at);
CREATE INDEX revocations_expiry_idx ON public.revocations USING btree (expires_at);
CREATE INDEX sessions_organization_idx ON public.sessions USING btree (organization_id) WHERE (revoked_at IS NULL);
CREATE INDEX sessions_user_idx ON public.sessions USING btree (user_id, id) WHERE (revoked_at IS NULL);
CREATE INDEX trusted_browsers_end_idx ON public.trusted_browsers USING btree (COALESCE(revoked_at, expires_at));
CREATE UNIQUE INDEX trusted_browsers_token_key ON public.trusted_browsers USING btree (token_hash);
CREATE INDEX trusted_browsers_user_idx ON public.trusted_browsers USING btree (user_id);
CREATE UNIQUE INDEX users_email_key ON public.users USING btree (email) WHERE (status <> 'deleted'::text);
CREATE INDEX users_inactive_idx ON public.users USING btree (status, id) WHERE (status <> 'active'::text);
CREATE INDEX users_list_idx ON public.users USING btree (id) INCLUDE (status);
CREATE INDEX users_platform_role_idx ON public.users USING btree (platform_role) WHERE (platform_role IS NOT NULL);
CREATE INDEX users_search_idx ON public.users USING gin (email public.gin_trgm_ops, display_name public.gin_trgm_ops);
ALTER INDEX public.audit_events_action_idx ATTACH PARTITION public.audit_events_202610_action_id_timestamp_idx;
ALTER INDEX public.audit_events_actor_idx ATTACH PARTITION public.audit_events_202610_actor_id_id_timestamp_action_idx;
ALTER INDEX public.audit_events_pkey ATTACH PARTITION public.audit_events_202610_pkey;
ALTER INDEX public.audit_events_xid_idx ATTACH PARTITION public.audit_events_202610_xid_idx;
ALTER INDEX public.audit_events_action_idx ATTACH PARTITION public.audit_events_202611_action_id_timestamp_idx;
ALTER INDEX public.audit_events_actor_idx ATTACH PARTITION public.audit_events_202611_actor_id_id_timestamp_action_idx;
ALTER INDEX public.audit_events_pkey ATTACH PARTITION public.audit_events_202611_pkey;
ALTER INDEX public.audit_events_xid_idx ATTACH PARTITION public.audit_events_202611_xid_idx;
ALTER INDEX public.audit_events_action_idx ATTACH PARTITION public.audit_events_202612_action_id_timestamp_idx;
ALTER INDEX public.audit_events_actor_idx ATTACH PARTITION public.audit_events_202612_actor_id_id_timestamp_action_idx;
ALTER INDEX public.audit_events_pkey ATTACH PARTITION public.audit_events_202612_pkey;
ALTER INDEX public.audit_events_xid_idx ATTACH PARTITION public.audit_events_202612_xid_idx;
ALTER INDEX public.audit_events_action_idx ATTACH PARTITION public.audit_events_rest_action_id_timestamp_idx;
ALTER INDEX public.audit_events_actor_idx ATTACH PARTITION public.audit_events_rest_actor_id_id_timestamp_action_idx;
ALTER INDEX public.audit_events_pkey ATTACH PARTITION public.audit_events_rest_pkey;
ALTER INDEX public.audit_events_xid_idx ATTACH PARTITION public.audit_events_rest_xid_idx;
CREATE TRIGGER audit_events_append_only BEFORE DELETE OR UPDATE ON public.audit_events FOR EACH ROW EXECUTE FUNCTION public.refuse_audit_change();
CREATE TRIGGER audit_events_no_truncate BEFORE TRUNCATE ON public.audit_events FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_audit_change();
CREATE TRIGGER audit_events_no_truncate BEFORE TRUNCATE ON public.audit_events_202610 FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_audit_change();
CREATE TRIGGER audit_events_no_truncate BEFORE TRUNCATE ON public.audit_events_202611 FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_audit_change();
CREATE TRIGGER audit_events_no_truncate BEFORE TRUNCATE ON public.audit_events_202612 FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_audit_change();
CREATE TRIGGER audit_events_no_truncate BEFORE TRUNCATE ON public.audit_events_rest FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_audit_change();
CREATE TRIGGER users_count_delete AFTER DELETE ON public.users REFERENCING OLD TABLE AS before FOR EACH STATEMENT EXECUTE FUNCTION public.count_users();
CREATE TRIGGER users_count_insert AFTER INSERT ON public.users REFERENCING NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION public.count_users();
CREATE TRIGGER users_count_update AFTER UPDATE OF status ON public.users FOR EACH ROW WHEN ((old.status IS DISTINCT FROM new.status)) EXECUTE FUNCTION public.count_user_change();
CREATE TRIGGER users_password_delete AFTER DELETE ON public.users REFERENCING OLD TABLE AS before FOR EACH STATEMENT EXECUTE FUNCTION public.count_passwords();
CREATE TRIGGER users_password_insert AFTER INSERT ON public.users REFERENCING NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION public.count_passwords();
CREATE TRIGGER users_password_update AFTER UPDATE OF password_hash ON public.users FOR EACH ROW WHEN ((old.password_hash IS DISTINCT FROM new.password_hash)) EXECUTE FUNCTION public.count_password_change();
ALTER TABLE ONLY public.avatars
    ADD CONSTRAINT avatars_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id);
ALTER TABLE ONLY public.feature_flags
    ADD CONSTRAINT feature_flags_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id);
ALTER TABLE ONLY public.identities
    ADD CONSTRAINT identities_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id);
ALTER TABLE ONLY public.invitations
    ADD CONSTRAINT invitations_inviter_id_fkey FOREIGN KEY (inviter_id) REFERENCES public.users(id);
ALTER TABLE ONLY public.invitations
    ADD CONSTRAINT invitations_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id);
ALTER TABLE ONLY public.memberships
    ADD CONSTRAINT memberships_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id);
ALTER TABLE ONLY public.memberships
    ADD CONSTRAINT memberships_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id);
ALTER TABLE ONLY public.mfa_tokens
    ADD CONSTRAINT mfa_tokens_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id);
ALTER TABLE ONLY public.one_time_tokens
    ADD CONSTRAINT one_time_tokens_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id);
ALTER TABLE ONLY public.passkeys
    ADD CONSTRAINT passkeys_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id);
ALTER TABLE ONLY public.recovery_codes
    ADD CONSTRAINT recovery_codes_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id);
ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id);
ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id);
ALTER TABLE ONLY public.totp_secrets
    ADD CONSTRAINT totp_secrets_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id);
ALTER TABLE ONLY public.trusted_browsers
    ADD CONSTRAINT trusted_browsers_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id);
ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_last_organization_id_fkey FOREIGN KEY (last_organization_id) REFERENCES public.organizations(id);
