import { createApplicationStates } from './domain/applications/states.ts';
import type { Deps } from './domain/context.ts';
import { ensureRestrictedKey } from './domain/endings/ensure-key.ts';
import { createFlagStates } from './domain/flags/states.ts';
import { createMachineStates } from './domain/machines/state.ts';
import { chooseTransport } from './domain/mail/transport.ts';
import { createMailWorker } from './domain/mail/worker.ts';
import { createGrantStates } from './domain/oauth-server/grants/states.ts';
import { createGrantTokens } from './domain/oauth-server/grants/tokens.ts';
import { createPasswords } from './domain/passwords/passwords.ts';
import { createKeySets } from './domain/provider-settings/key-sets.ts';
import { configKeyring } from './domain/provider-settings/secret.ts';
import { createProviderStates } from './domain/provider-settings/states.ts';
import { createAccessTokens } from './domain/sessions/access-token.ts';
import { createRevocationFeed } from './domain/sessions/feed/feed.ts';
import { createSessionStates } from './domain/sessions/state.ts';
import { createSigningKeys } from './domain/signing-keys/keys.ts';
import { createSsoHttp } from './domain/sso/http.ts';
import { createFanOut, type FanOut } from './domain/webhooks/fan-out.ts';
import { createWebhookWorker } from './domain/webhooks/worker.ts';
import type { HashCost } from './platform/argon2/argon2.ts';
import { createBus, type Siblings } from './platform/bus/bus.ts';
import { openBusConnection } from './platform/bus/connection.ts';
import { type Clock, systemClock } from './platform/clock.ts';
import type { Config } from './platform/config/settings.ts';
import { createKeyring } from './platform/crypto/keyring.ts';
import { connectDatabase, type Database } from './platform/db/connect.ts';
import { createLimiter } from './platform/limiter/limiter.ts';
import type { Logger } from './platform/log.ts';
import { createMetrics, type SharedMetrics } from './platform/metrics/metrics.ts';
import { createTxtLookup } from './platform/outbound/txt-lookup.ts';
import type { Queue } from './platform/queue/queue.ts';

export interface DepsOptions {
  config: Config;
  log: Logger;
  database: Database;
  clock?: Clock;
  /** Replaces the required hash cost (docs/reference/accounts.md#passwords), in tests that are not about the cost. */
  hashCost?: HashCost | undefined;
  /** Replaces the timeout of requests to single sign-on providers, in tests. */
  ssoTimeoutMs?: number;
  workers?: { readonly siblings: Siblings; readonly metrics: SharedMetrics };
}

interface Built {
  readonly deps: Deps;
  readonly mailWorker: Queue;
  readonly webhookWorker: Queue;
  readonly fanOut: FanOut;
  /** Closes the reserved connection. The caller closes the database. */
  close(): Promise<void>;
}

/** Builds the dependencies of use cases without starting any of them. */
export function createDeps(options: DepsOptions): Built {
  const { config, log, database, clock = systemClock, hashCost, workers, ssoTimeoutMs: timeoutMs } = options;
  const { db } = database;
  const reserved = connectDatabase({
    address: database.address,
    poolSize: 1,
    onIdleError: (err) => log.warn({ err }, 'the reserved connection to the database was lost'),
  });
  const keyring = createKeyring(config.JWT_SECRET, config.JWT_SECRET_PREVIOUS);
  const sealing = configKeyring(config);
  const providers = createProviderStates({ db, config, log, keyring: sealing });
  const bus = createBus(
    openBusConnection(database.address, log, {
      onSilenceOver: () => {
        database.renew();
        reserved.renew();
      },
      mark: keyring.current.id,
    }),
    log,
    workers?.siblings,
  );
  const metrics = createMetrics(workers?.metrics);
  const keys = createSigningKeys(db, clock, keyring);
  const applicationKeys = createSigningKeys(db, clock, keyring, 'application_keys');
  const outlets = chooseTransport(config, clock, providers);
  const mailWorker = createMailWorker({ db, clock, log, keyring, config, outlets });
  const hashed = metrics.counter('gatehouse_password_hashes_total', 'Password hashes computed');
  const unhashed = metrics.counter(
    'gatehouse_passwords_refused_total',
    'Passwords not verified because the queue was full',
  );
  const unmailed = metrics.counter('gatehouse_mails_limited_total', 'Mails not queued because of a limit');
  const mail = { keyring, clock, transport: outlets.current, wake: mailWorker.wake, limited: unmailed.add };
  const limiter = createLimiter(db, clock, keyring.current.derive('limiter'));
  const webhookWorker = createWebhookWorker({ db, clock, log, keyring, config, mail, limiter });
  const deps: Deps = {
    config,
    clock,
    log,
    database,
    db,
    reservedDb: reserved.db,
    bus,
    keyring,
    configKeyring: sealing,
    metrics,
    keys,
    applicationKeys,
    applications: createApplicationStates(db, bus),
    grants: createGrantStates(db, clock, bus),
    grantTokens: createGrantTokens(applicationKeys, clock, config),
    limiter,
    accessTokens: createAccessTokens({
      keys,
      clock,
      issuer: config.PUBLIC_BASE_URL,
      ttl: config.ACCESS_TOKEN_TTL,
      ensureRestrictedKey: () => ensureRestrictedKey({ db, bus, clock, log, keys, keyring, config }),
    }),
    sessions: createSessionStates(db, clock, bus),
    machines: createMachineStates(db, clock, bus),
    revocations: createRevocationFeed(reserved.db, clock, { accessTtl: config.ACCESS_TOKEN_TTL }),
    passwords: createPasswords({
      processes: config.WORKERS,
      cost: hashCost,
      onHash: hashed.add,
      onRefusal: unhashed.add,
      place: { db, keyring, log },
    }),
    mail,
    providers,
    keySets: createKeySets(clock),
    txtLookup: createTxtLookup(config.DNS_SERVERS),
    sso: createSsoHttp({ clock, config, timeoutMs }),
    flags: createFlagStates(db, bus),
    webhooks: { wake: webhookWorker.wake },
    lifecycle: { leaving: false, stopping: false },
  };
  bus.subscribe('signing_keys', async () => {
    await Promise.all([keys.reload(), applicationKeys.reload()]);
  });
  bus.subscribe('providers', () => providers.reload());
  bus.subscribe('password_hashes', () => deps.passwords.reload());
  const fanOut = createFanOut({ db, clock, log, wake: webhookWorker.wake });
  return { deps, mailWorker, webhookWorker, fanOut, close: () => reserved.close() };
}
