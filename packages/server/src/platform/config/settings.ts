import {
  ENVIRONMENT_PROVIDERS,
  type EnvironmentProvider,
  OAUTH_PROVIDERS,
  type OAuthProvider,
} from '@gatehouse/contract';
import { POOLERS } from '../db/pooler.ts';
import * as kind from './kinds.ts';

const minute = 60;
const hour = 3600;
const day = 86400;

/** The endpoints of an OAuth provider that can be replaced, with a note for the reference. */
const ENDPOINTS = {
  ISSUER: ' Identities that were linked under another issuer are no longer recognized.',
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
 * Every setting of the service, by the name of its environment variable. The contract, section 6. This table is all there
 * is: it is parsed at start, and the reference in docs/configuration.md is printed from it.
 */
export const SETTINGS = {
  NODE_ENV: kind.choice(
    'production refuses to start without the required settings; development fills them in.',
    ['development', 'production', 'test'],
    'development',
  ),
  JWT_SECRET: kind.secret({
    doc: 'Required. Seals the signing keys and the TOTP secrets, and signs refresh tokens. Losing it ends all sessions.',
    min: 32,
    example: '`openssl rand -base64 48`',
  }),
  PUBLIC_BASE_URL: kind.origin(
    'Required. The origin under which people reach the service, for example https://id.example.com.',
  ),
  JWT_SECRET_PREVIOUS: kind.secret({
    doc: 'The secret before this one, until `keys rewrap` has run and the refresh tokens made with it have ended; or the next one, before replicas are changed to it.',
    min: 32,
    example: 'the old JWT_SECRET',
  }),
  CONFIG_ENCRYPTION_KEY: kind.key32('Seals provider secrets stored through the console. Unset: none can be stored.'),
  CONFIG_ENCRYPTION_KEY_PREVIOUS: kind.key32('The key before this one, until `config-key rotate` has run.'),
  AUDIT_EXPORT_KEY: kind.secret({
    doc: 'Signs audit exports; its UTF-8 bytes are the key. Unset: a key derived from JWT_SECRET.',
    min: 1,
    example: '`openssl rand -base64 32`',
  }),

  METRICS_TOKEN: kind.bearer({
    doc: '`/metrics` requires it as a Bearer token. Unset: `/metrics` is open.',
    example: '`openssl rand -hex 32`',
  }),

  PORT: kind.integer({
    doc: 'The port to listen on. In development, one of the environment moves a local PUBLIC_BASE_URL of `.env` along.',
    fallback: 8080,
    min: 0,
    max: 65535,
  }),
  HOST: kind.text({ doc: 'The address to listen on.', fallback: '127.0.0.1' }),
  ROUTE_PREFIX: kind.path({ doc: 'The path under which the API is mounted.', fallback: '/v1' }),
  DATA_DIR: kind.text({ doc: 'Where the embedded PostgreSQL and development mails live.', fallback: './data' }),
  DATABASE_URL: kind.url({
    doc: 'PostgreSQL 15 or later. Unset: the embedded PostgreSQL in DATA_DIR. `connect_timeout` in it: seconds to wait for a connection, 5 unless told.',
    fallback: undefined,
    protocols: ['postgres:', 'postgresql:'],
    secret: true,
  }),
  DATABASE_POOL_SIZE: kind.integer({
    doc: 'Connections each process may hold; with WORKERS, each worker.',
    fallback: 10,
    min: 2,
    max: 500,
  }),
  DATABASE_POOLER: kind.choice(
    'What stands before DATABASE_URL. transaction: a pooler that pools by transaction, such as PgBouncer; transaction-prepared: one that keeps track of prepared statements. docs/scaling.md tells how.',
    POOLERS,
    'none',
  ),
  WORKERS: kind.processes('Processes behind the one port: see operating.md.'),
  DRAIN_SECONDS: kind.integer({
    doc: 'How long it goes on answering after SIGTERM, with /readyz 503: as long as a balancer needs to see that.',
    fallback: 0,
    min: 0,
    max: 60,
  }),
  OVERLOAD_DELAY_MS: kind.integer({
    doc: 'How many milliseconds late the process may be before it answers 429, so that those it does answer do not wait longer: see operating.md.',
    fallback: 500,
    min: 100,
    max: 60_000,
  }),
  LOG_LEVEL: kind.choice('How much is logged.', ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], 'info'),
  TRUST_PROXY: kind.networks(
    'Proxies whose X-Forwarded-For is believed. `none`: clients connect without a proxy. Unset in production: FAILURES_PER_ADDRESS is 0.',
  ),
  CORS_ORIGINS: kind.origins('Origins whose pages may call the API with credentials.'),
  REDIRECT_ORIGINS: kind.origins('Origins to which a sign-in may return people.'),
  SECURE_COOKIES: kind.toggle('Secure on every cookie. Unset: on when PUBLIC_BASE_URL is https.'),

  ACCESS_TOKEN_TTL: kind.duration({ doc: 'Life of an access token.', fallback: 15 * minute, min: 30, max: day }),
  REFRESH_TOKEN_TTL: kind.duration({
    doc: 'Life of a refresh token.',
    fallback: 30 * day,
    min: minute,
    max: 400 * day,
  }),
  SESSION_MAX_AGE: kind.duration({
    doc: 'Life of a session, however often refreshed.',
    fallback: 90 * day,
    min: minute,
    max: 4000 * day,
  }),
  REFRESH_GRACE_SECONDS: kind.integer({
    doc: 'How long a used refresh token may yield the same successor again.',
    fallback: 0,
    min: 0,
    max: 60,
  }),

  REGISTRATION: kind.choice('closed refuses self-service registration.', ['open', 'closed'], 'open'),
  INITIAL_OWNER_EMAIL: kind.text({
    doc: 'The account with this email becomes platform owner, once: when it is verified; in development when it registers.',
    fallback: undefined,
  }),
  TIER: kind.choice('premium has the AuditExport entitlement.', ['free', 'premium'], 'free'),
  DEFAULT_LOCALE: kind.choice('Language of mails to people who chose none.', ['en', 'de'], 'en'),

  EMAIL_API_KEY: {
    ...kind.text({ doc: "Key of the mail provider's API (begins with re_).", fallback: undefined }),
    secret: true,
  },
  EMAIL_FROM: kind.text({ doc: 'Sender of all mails, for example `Example <id@example.com>`.', fallback: undefined }),
  EMAIL_API_BASE_URL: kind.url({ doc: "Where the mail provider's API is.", fallback: 'https://api.resend.com' }),
  SMTP_URL: kind.url({
    doc: 'A mail server, for example smtps://user:password@mail.example.com.',
    fallback: undefined,
    protocols: ['smtp:', 'smtps:'],
    secret: true,
  }),

  FAILURES_PER_ADDRESS: kind.integer<undefined>({
    doc: 'Failed sign-ins and links per client address in 10 minutes, over all accounts; 0: no limit. Unset: 600, but 0 in production while TRUST_PROXY is unset. Development does not count loopback and private addresses. See operating.md.',
    fallback: undefined,
    min: 0,
    max: 1_000_000,
  }),
  LIMIT_PASSWORD_PER_ADDRESS: kind.quota('Wrong passwords per client address and account.', 20, 15 * minute),
  LIMIT_PASSWORD_PER_ACCOUNT: kind.quota('Wrong passwords per account, from all addresses.', 200, hour),
  LIMIT_EMAIL_CODE: kind.quota('Wrong emailed codes per account; over it the usual 401.', 100, hour),
  LIMIT_TOTP: kind.quota('Wrong TOTP codes per account.', 100, hour),
  LIMIT_TOTP_PER_DAY: kind.quota(
    'Wrong TOTP codes per account in a day, at sign-in and, counted separately, at step-up; a new password clears both counts.',
    300,
    day,
  ),
  LIMIT_RECOVERY_CODE: kind.quota('Wrong recovery codes per account.', 20, hour),
  LIMIT_PASSKEY_PER_ADDRESS: kind.quota(
    'Failed passkey sign-ins per client address that are audited; right ones have no limit.',
    1000,
    hour,
  ),
  LIMIT_OAUTH_PER_ADDRESS: kind.quota(
    'Times a provider is asked in vain, and failures audited, per client address; right ones have no limit.',
    1000,
    hour,
  ),
  LIMIT_SIGNED_IN_CHECK: kind.quota('Wrong passwords or codes in a row on signed-in endpoints.', 5, 15 * minute),
  LIMIT_ORGANIZATION_SWITCHES: kind.quota(
    'Changes of organization per user; over it 429. Naming the current organization does not count.',
    60,
    10 * minute,
  ),
  LIMIT_MAIL_PER_ACCOUNT: kind.quota(
    'Mails to one address that people can ask for; over it 204, and nothing is sent.',
    10,
    10 * minute,
  ),
  LIMIT_MAIL_PER_ADDRESS: kind.quota('The same, asked for from one client address.', 1000, hour),
  LIMIT_INVITATIONS_PER_ORGANIZATION: kind.quota(
    'Invitations one organization sends, also again; over it 429.',
    500,
    hour,
  ),
  LIMIT_REGISTRATION_PER_ADDRESS: kind.quota('Registrations from one client address.', 5000, hour),
  LIMIT_INTEGRATIONS: kind.quota('Requests to the integration endpoints per address.', 100, minute),
  ...oauth(),
} as const;

/** Client credentials of the providers that take them from the environment, and the endpoints of every provider. */
function oauth(): OAuthSettings {
  const settings: Record<string, kind.Setting<string | undefined>> = {};
  for (const provider of ENVIRONMENT_PROVIDERS) {
    const prefix = settingPrefix(provider);
    settings[`${prefix}_CLIENT_ID`] = kind.text({ doc: `Client id of ${provider}.`, fallback: undefined });
    settings[`${prefix}_CLIENT_SECRET`] = {
      ...kind.text({ doc: `Client secret of ${provider}.`, fallback: undefined }),
      secret: true,
    };
  }
  for (const provider of OAUTH_PROVIDERS) {
    for (const [endpoint, note] of Object.entries(ENDPOINTS)) {
      const doc = `Replaces this address of ${provider}.${note}`;
      settings[`${settingPrefix(provider)}_${endpoint}`] = kind.url({ doc, fallback: undefined });
    }
  }
  return settings as OAuthSettings;
}

export type SettingName = keyof typeof SETTINGS;
type Values = { [Name in SettingName]: (typeof SETTINGS)[Name] extends kind.Setting<infer T> ? T : never };

/** The settings as read, the required ones present and the derived ones settled. */
export type Config = Readonly<
  Omit<Values, 'JWT_SECRET' | 'PUBLIC_BASE_URL' | 'SECURE_COOKIES' | 'FAILURES_PER_ADDRESS'> & {
    JWT_SECRET: string;
    PUBLIC_BASE_URL: string;
    SECURE_COOKIES: boolean;
    FAILURES_PER_ADDRESS: number;
  }
>;
