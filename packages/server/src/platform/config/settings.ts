import {
  ENVIRONMENT_PROVIDERS,
  type EnvironmentProvider,
  OAUTH_PROVIDERS,
  type OAuthProvider,
} from '@gatehouse/contract';
import { POOLERS } from '../db/pooler.ts';
import * as branding from './branding.ts';
import * as kind from './kinds.ts';

const minute = 60;
const hour = 3600;
const day = 86400;

/** The endpoints of an OAuth provider that can be replaced, with a note for the reference. */
const ENDPOINTS = {
  ISSUER: ' Identities linked under another issuer are no longer recognized.',
  AUTHORIZATION_URL: '',
  TOKEN_URL: '',
  USERINFO_URL: ' Used only by providers without an id_token.',
  JWKS_URL: ' Used only by providers with an id_token.',
} as const;

type OAuthSettings = Record<
  | `${Uppercase<EnvironmentProvider>}_CLIENT_${'ID' | 'SECRET'}`
  | `${Uppercase<OAuthProvider>}_${keyof typeof ENDPOINTS}`,
  kind.Setting<string | undefined>
>;

/** The prefix of a provider's settings: `OAUTH_A` in `OAUTH_A_ISSUER`. */
export function settingPrefix<Id extends OAuthProvider>(provider: Id): Uppercase<Id> {
  return provider.toUpperCase() as Uppercase<Id>;
}

/**
 * All settings (docs/reference/operations.md#settings). Used for parsing; docs/configuration.md is generated from this
 * table.
 */
export const SETTINGS = {
  NODE_ENV: kind.choice(
    'In production the service does not start without the required settings. In development `serve` generates them.',
    ['development', 'production', 'test'],
    'development',
  ),
  JWT_SECRET: kind.secret({
    doc: 'Required. Encrypts the signing keys and the TOTP secrets, and signs refresh tokens. With another secret, all sessions stop working until the old one is set again.',
    min: 32,
    example: 'the output of `openssl rand -base64 48`',
  }),
  PUBLIC_BASE_URL: kind.origin('Required. The public origin of the service, for example https://id.example.com.'),
  JWT_SECRET_PREVIOUS: kind.secret({
    doc: 'The previous secret: keep it until `keys rewrap` has run and the refresh tokens signed with it have expired. Or the next secret, before the replicas switch to it.',
    min: 32,
    example: 'the old JWT_SECRET',
  }),
  CONFIG_ENCRYPTION_KEY: kind.key32(
    'Encrypts the provider secrets that are stored through the console, and the client secrets of single sign-on connections. Unset: secrets cannot be stored.',
  ),
  CONFIG_ENCRYPTION_KEY_PREVIOUS: kind.key32('The previous key: keep it until `config-key rotate` has run.'),
  AUDIT_EXPORT_KEY: kind.secret({
    doc: 'Signs audit exports. The key is the UTF-8 bytes of the value. Unset: a key derived from JWT_SECRET is used.',
    min: 1,
    example: 'the output of `openssl rand -base64 32`',
  }),

  METRICS_TOKEN: kind.bearer({
    doc: 'The Bearer token that `/metrics` requires. Unset: `/metrics` needs no authentication.',
    example: 'the output of `openssl rand -hex 32`',
  }),

  PORT: kind.integer({
    doc: 'The port to listen on. In development, PORT from the process environment also replaces the port of the PUBLIC_BASE_URL that the first start wrote to `.env`.',
    fallback: 8080,
    min: 0,
    max: 65535,
  }),
  HOST: kind.text({ doc: 'The IP address or host name to listen on.', fallback: '127.0.0.1' }),
  ROUTE_PREFIX: kind.path({ doc: 'The path under which the API is mounted.', fallback: '/v1' }),
  DATA_DIR: kind.text({ doc: 'The folder of the embedded PostgreSQL and of development mails.', fallback: './data' }),
  DATABASE_URL: kind.url({
    doc: 'The connection string of a PostgreSQL 15 or later. Unset: the embedded PostgreSQL in DATA_DIR. Its parameter `connect_timeout` is the number of seconds to wait for a connection (default 5).',
    fallback: undefined,
    protocols: ['postgres:', 'postgresql:'],
    secret: true,
  }),
  DATABASE_POOL_SIZE: kind.integer({
    doc: 'The maximum number of pooled connections per process; with WORKERS, per worker.',
    fallback: 10,
    min: 2,
    max: 500,
  }),
  DATABASE_POOLER: kind.choice(
    'The connection pooler that DATABASE_URL points to. transaction: it pools by transaction, such as PgBouncer. transaction-prepared: it also supports prepared statements. See scaling.md.',
    POOLERS,
    'none',
  ),
  WORKERS: kind.processes('The number of worker processes that share the port. See operating.md.'),
  DRAIN_SECONDS: kind.integer({
    doc: 'Seconds for which the service still accepts requests after SIGTERM, while /readyz returns 503. Set it to the time that the load balancer takes to notice the 503.',
    fallback: 0,
    min: 0,
    max: 60,
  }),
  OVERLOAD_DELAY_MS: kind.integer({
    doc: 'The event-loop delay, in milliseconds, above which the process rejects requests with 429, which keeps the latency of the others low. See operating.md.',
    fallback: 500,
    min: 100,
    max: 60_000,
  }),
  FAST_PATH: kind.choice(
    'Whether the most frequent GET requests are answered from memory before the router. Responses are the same either way; `off` makes them slower. See performance.md.',
    ['on', 'off'],
    'on',
  ),
  LOG_LEVEL: kind.choice('The log level.', ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], 'info'),
  TRUST_PROXY: kind.networks(
    'The proxies whose X-Forwarded-For header is trusted. `none`: clients connect directly. If it is unset in production, FAILURES_PER_ADDRESS defaults to 0.',
  ),
  PASSKEY_RP_ID: kind.hostName({
    doc: 'The domain that passkeys belong to: the host of PUBLIC_BASE_URL, or a parent domain of it that is no public suffix. With a parent, passkeys still work after the service moves to another host below it. Unset: the host of PUBLIC_BASE_URL.',
    fallback: undefined,
    example: '`example.com`',
  }),
  PASSKEY_ORIGINS: kind.relatedOrigins(
    'Other origins, at most 20, whose pages may use the passkeys. Listed at `/.well-known/webauthn`. See operating.md.',
  ),
  CORS_ORIGINS: kind.origins('Origins whose pages may call the API with credentials.'),
  REDIRECT_ORIGINS: kind.origins('Origins to which a sign-in may redirect.'),
  SECURE_COOKIES: kind.toggle('Whether cookies have the Secure attribute. Unset: on if PUBLIC_BASE_URL is https.'),

  PRIVATE_NETWORKS: kind.choice(
    'Whether URLs that organizations configure, such as those of webhooks and of single sign-on providers, may resolve to loopback, private and other addresses that are not public. Unset: `refuse` in production, otherwise `allow`.',
    ['allow', 'refuse'],
    undefined,
  ),

  DNS_SERVERS: kind.dnsServers(
    'The DNS servers that look up the records which verify the domains of organizations. Other look-ups do not use them. Unset: those of the system.',
  ),

  PLATFORM_REQUIRE_MFA: kind.choice(
    'Whether endpoints for platform roles require a session with a second factor (`aal2`).',
    ['off', 'on'],
    'off',
  ),

  SIGNING_KEY_MAX_AGE: kind.durationOrNever({
    doc: 'The age at which a signing key gets a successor: published at that age, it signs 24 hours later. No session ends.',
    fallback: 90 * day,
    min: 2 * day,
    max: 3650 * day,
  }),
  ACCESS_TOKEN_TTL: kind.duration({ doc: 'Lifetime of an access token.', fallback: 15 * minute, min: 30, max: day }),
  REFRESH_TOKEN_TTL: kind.duration({
    doc: 'Lifetime of a refresh token.',
    fallback: 30 * day,
    min: minute,
    max: 400 * day,
  }),
  SESSION_MAX_AGE: kind.duration({
    doc: 'Maximum lifetime of a session, no matter how often it is refreshed.',
    fallback: 90 * day,
    min: minute,
    max: 4000 * day,
  }),
  REFRESH_GRACE_SECONDS: kind.integer({
    doc: 'Seconds within which a used refresh token returns the same successor again.',
    fallback: 0,
    min: 0,
    max: 60,
  }),

  REGISTRATION: kind.choice('Whether users can register themselves.', ['open', 'closed'], 'open'),
  INITIAL_OWNER_EMAIL: kind.text({
    doc: 'The account with this email becomes platform owner, once per database: when its email is verified; in development, when it registers.',
    fallback: undefined,
  }),
  TIER: kind.choice('With premium, platform admins can export the audit trail.', ['free', 'premium'], 'free'),
  DEFAULT_LOCALE: kind.choice(
    'Language of pages and mails for users whose own language is unknown or not supported.',
    ['en', 'de'],
    'en',
  ),
  PASSWORD_MIN_STRENGTH: kind.integer({
    doc: 'The lowest accepted score of a new password, by the estimate of zxcvbn: 1 very weak to 4 strong. 0: only the length counts. Existing passwords are not affected.',
    fallback: 0,
    min: 0,
    max: 4,
  }),

  BRAND_NAME: branding.brandName('The name on all pages, in mails and in authenticator apps.'),
  BRAND_LOGO: branding.logo(
    'The path of a PNG, WebP or SVG file of at most 256 kB, which replaces the logo and the name on all pages. It is read at start.',
  ),
  BRAND_LOGO_DARK: branding.logo('The same for the dark colour scheme. Unset: BRAND_LOGO is used in both.'),
  BRAND_COLOR: branding.brandColor(
    'The colour of buttons and links, on pages and in mails. White text on it must have a contrast of at least 4.5.',
  ),
  SUPPORT_URL: branding.link(
    'The page for help, linked from all pages and mails. It must begin with https:// or http://.',
  ),
  PRIVACY_URL: branding.link('The privacy policy, linked from all pages and mails.'),
  TERMS_URL: branding.link('The terms of service, linked from all pages and mails.'),

  EMAIL_API_KEY: {
    ...kind.text({ doc: 'The API key of the mail provider. It begins with re_.', fallback: undefined }),
    secret: true,
  },
  EMAIL_FROM: kind.text({
    doc: 'The sender of all mails, for example `Example <id@example.com>`.',
    fallback: undefined,
  }),
  EMAIL_API_BASE_URL: kind.url({ doc: "The base URL of the mail provider's API.", fallback: 'https://api.resend.com' }),
  SMTP_URL: kind.url({
    doc: 'The SMTP server, for example smtps://user:password@mail.example.com.',
    fallback: undefined,
    protocols: ['smtp:', 'smtps:'],
    secret: true,
  }),

  FAILURES_PER_ADDRESS: kind.integer<undefined>({
    doc: 'Failed sign-ins and invalid links or invitations per client address in 10 minutes, across all accounts. 0: no limit. Unset: 600, but 0 in production while TRUST_PROXY is unset. In development, loopback and private addresses are not counted. See operating.md.',
    fallback: undefined,
    min: 0,
    max: 1_000_000,
  }),
  LIMIT_PASSWORD_PER_ADDRESS: kind.quota('Wrong passwords per client address and account.', 20, 15 * minute),
  LIMIT_PASSWORD_PER_ACCOUNT: kind.quota('Wrong passwords per account, from all client addresses.', 200, hour),
  LIMIT_EMAIL_CODE: kind.quota(
    'Wrong emailed codes per account. Above the limit, every code gets the 401 of a wrong one.',
    100,
    hour,
  ),
  LIMIT_TOTP: kind.quota('Wrong TOTP codes per account.', 100, hour),
  LIMIT_TOTP_PER_DAY: kind.quota(
    'Wrong TOTP codes per account and day. Sign-in and step-up have separate counters. A new password resets both.',
    300,
    day,
  ),
  LIMIT_SECOND_FACTOR_CHANGES: kind.quota(
    'How often a user may turn off their own second factor. Above the limit: 429. A reset by an administrator does not count.',
    10,
    day,
  ),
  LIMIT_RECOVERY_CODE: kind.quota('Wrong recovery codes per account.', 20, hour),
  LIMIT_PASSKEY_PER_ADDRESS: kind.quota(
    'Audited failures of passkey sign-ins per client address. Above the limit, failures are not audited. Successful sign-ins have no limit.',
    1000,
    hour,
  ),
  LIMIT_OAUTH_PER_ADDRESS: kind.quota(
    'Per client address: failed requests to a provider and, in a separate counter, audited failures of third-party sign-ins. Successful sign-ins have no limit.',
    1000,
    hour,
  ),
  LIMIT_SIGNED_IN_CHECK: kind.quota(
    'Consecutive wrong passwords or codes on endpoints that require a session.',
    5,
    15 * minute,
  ),
  LIMIT_ORGANIZATION_SWITCHES: kind.quota(
    'Organization switches per user. Above the limit: 429. A switch to the current organization is not counted.',
    60,
    10 * minute,
  ),
  LIMIT_KEY_EXCHANGES: kind.quota('Access tokens issued for one API key. Above the limit: 429.', 120, minute),
  LIMIT_KEY_FAILURES: kind.quota(
    'Rejected token requests that name one API key. Above the limit, further rejected requests get 429; a valid key is still accepted.',
    30,
    minute,
  ),
  LIMIT_ORGANIZATIONS_PER_USER: kind.quota(
    'Organizations that a user creates. The one of the registration is not counted.',
    10,
    24 * hour,
  ),
  LIMIT_APPLICATION_TOKENS: kind.quota(
    'Requests of an application to the token endpoint; without a secret, per client address. Above the limit: 429.',
    600,
    minute,
  ),
  LIMIT_AUTHORIZE_PER_ADDRESS: kind.quota(
    'Requests to the authorization endpoint per client address. Above the limit: 429.',
    600,
    minute,
  ),
  LIMIT_EXPORTS_PER_USER: kind.quota("Exports of a user's own data.", 5, 24 * hour),
  LIMIT_ROLE_WRITES: kind.quota(
    'Changes of roles, and of the roles of members, per organization. Global roles have one counter. Above the limit: 429.',
    60,
    10 * minute,
  ),
  LIMIT_WEBHOOK_SENDS: kind.quota(
    'Test events and manual retries per webhook, counted together. Above the limit: 429.',
    60,
    10 * minute,
  ),
  LIMIT_DOMAIN_CHECKS: kind.quota(
    'Requests of one organization to verify a domain. Above the limit: 429. Daily checks are not counted.',
    60,
    10 * minute,
  ),
  LIMIT_SSO_TESTS: kind.quota(
    'Tests of single sign-on connections per organization. Above the limit: 429.',
    30,
    10 * minute,
  ),
  LIMIT_MAIL_PER_ACCOUNT: kind.quota(
    'Mails per recipient address and kind of mail. Above the limit nothing is sent: 204, or 429 for invitations.',
    10,
    10 * minute,
  ),
  LIMIT_MAIL_PER_ADDRESS: kind.quota(
    'Requested mails and registrations per client address. Above the limit nothing is sent: 204, or 429 for invitations; an account is made without its verification mail.',
    1000,
    hour,
  ),
  LIMIT_INVITATIONS_PER_ORGANIZATION: kind.quota(
    'Invitations sent per organization, including resent ones. Above the limit: 429.',
    500,
    hour,
  ),
  LIMIT_REGISTRATION_PER_ADDRESS: kind.quota('Registrations per client address.', 5000, hour),
  LIMIT_INTEGRATIONS: kind.quota('Requests to the integration endpoints per client address.', 100, minute),
  ...oauth(),
} as const;

/** Client credentials of the providers that take them from the environment, and the endpoints of every provider. */
function oauth(): OAuthSettings {
  const settings: Record<string, kind.Setting<string | undefined>> = {};
  for (const provider of ENVIRONMENT_PROVIDERS) {
    const prefix = settingPrefix(provider);
    settings[`${prefix}_CLIENT_ID`] = kind.text({ doc: `The client ID of ${provider}.`, fallback: undefined });
    settings[`${prefix}_CLIENT_SECRET`] = {
      ...kind.text({ doc: `The client secret of ${provider}.`, fallback: undefined }),
      secret: true,
    };
  }
  for (const provider of OAUTH_PROVIDERS) {
    for (const [endpoint, note] of Object.entries(ENDPOINTS)) {
      const doc = `Overrides this URL of ${provider}.${note}`;
      settings[`${settingPrefix(provider)}_${endpoint}`] = kind.url({ doc, fallback: undefined });
    }
  }
  return settings as OAuthSettings;
}

export type SettingName = keyof typeof SETTINGS;
type Values = { [Name in SettingName]: (typeof SETTINGS)[Name] extends kind.Setting<infer T> ? T : never };

export type Config = Readonly<
  Omit<
    Values,
    'JWT_SECRET' | 'PUBLIC_BASE_URL' | 'PASSKEY_RP_ID' | 'SECURE_COOKIES' | 'FAILURES_PER_ADDRESS' | 'PRIVATE_NETWORKS'
  > & {
    JWT_SECRET: string;
    PUBLIC_BASE_URL: string;
    PASSKEY_RP_ID: string;
    SECURE_COOKIES: boolean;
    FAILURES_PER_ADDRESS: number;
    PRIVATE_NETWORKS: 'allow' | 'refuse';
  }
>;
