import { setTimeout as sleep } from 'node:timers/promises';
import { LIMITS, PROVIDERS } from '@gatehouse/contract';
import type { FastifyInstance } from 'fastify';
import { countAuditRows, dropForeignCounts } from './domain/audit/counts/count.ts';
import { ensureAuditMonths } from './domain/audit/queries.ts';
import type { Deps } from './domain/context.ts';
import { mergePasswordCounts } from './domain/credentials/hashes/queries.ts';
import { createPasswords } from './domain/credentials/passwords.ts';
import { createFlagStates } from './domain/flags/states.ts';
import { deleteOldInvitations } from './domain/invitations/queries.ts';
import { countMails, deleteFinishedMails } from './domain/mail/queries.ts';
import { chooseTransport } from './domain/mail/transport.ts';
import { createMailWorker } from './domain/mail/worker.ts';
import { deleteOldMemberships } from './domain/memberships/queries.ts';
import { deleteOldMfaTokens } from './domain/mfa/queries.ts';
import { deleteExpiredOneTimeTokens } from './domain/one-time/queries.ts';
import { deleteOldChallenges, deleteOldPasskeys } from './domain/passkeys/queries.ts';
import { createKeySets } from './domain/providers/key-sets.ts';
import { configKeyring } from './domain/providers/secret.ts';
import { createProviderStates } from './domain/providers/states.ts';
import { createAccessTokens } from './domain/sessions/access-token.ts';
import { createRevocationFeed } from './domain/sessions/feed/feed.ts';
import { deleteExpiredRevocations } from './domain/sessions/queries.ts';
import { deleteOldRefreshUses } from './domain/sessions/refresh/queries.ts';
import { USES_KEPT } from './domain/sessions/refresh/rotate.ts';
import { createSessionStates } from './domain/sessions/state.ts';
import { deleteEndedSessions } from './domain/sessions/sweep.ts';
import { ensureSigningKey } from './domain/signing-keys/ensure-key.ts';
import { createSigningKeys, type NewKey } from './domain/signing-keys/keys.ts';
import { deleteDeadSigningKeys } from './domain/signing-keys/queries.ts';
import { deleteOldTrustedBrowsers } from './domain/trusted-browsers/queries.ts';
import { claimInitialOwnerAtStart } from './domain/users/initial-owner.ts';
import { mergeUserCounts } from './domain/users/queries.ts';
import { audit } from './features/audit/routes.ts';
import { avatars } from './features/avatars/routes.ts';
import { consoleFeature } from './features/console/routes.ts';
import { devMail } from './features/dev-mail/routes.ts';
import { discovery } from './features/discovery/routes.ts';
import { emailOtp } from './features/email-otp/routes.ts';
import { emailVerification } from './features/email-verification/routes.ts';
import { featureFlags } from './features/feature-flags/routes.ts';
import { health } from './features/health/routes.ts';
import { integrations } from './features/integrations/routes.ts';
import { invitations } from './features/invitations/routes.ts';
import { members } from './features/members/routes.ts';
import { mfa } from './features/mfa/routes.ts';
import { deleteOldIdentities, deleteOldStates } from './features/oauth/queries.ts';
import { oauth } from './features/oauth/routes.ts';
import { organizations } from './features/organizations/routes.ts';
import { passkeys } from './features/passkeys/routes.ts';
import { password } from './features/password/routes.ts';
import { reclaiming } from './features/reclaim/routes.ts';
import { reference } from './features/reference/routes.ts';
import { registration } from './features/register/routes.ts';
import { sessions } from './features/sessions/routes.ts';
import { trustedBrowsers } from './features/trusted-browsers/routes.ts';
import { users } from './features/users/routes.ts';
import { web } from './features/web/routes.ts';
import type { Feature } from './http/route.ts';
import { createServer, type ServerOptions } from './http/server.ts';
import type { HashCost } from './platform/argon2/argon2.ts';
import { createBus, type Siblings } from './platform/bus/bus.ts';
import { openBusConnection } from './platform/bus/connection.ts';
import { deleteOldBusEvents } from './platform/bus/queries.ts';
import { after, type Clock, systemClock } from './platform/clock.ts';
import type { Config } from './platform/config/settings.ts';
import { createKeyring } from './platform/crypto/keyring.ts';
import { connectDatabase, type Database, isPooled } from './platform/db/connect.ts';
import { holdTurn, SERVED } from './platform/db/turn.ts';
import { createLimiter } from './platform/limiter/limiter.ts';
import { deleteExpiredCounters } from './platform/limiter/queries.ts';
import type { Logger } from './platform/log.ts';
import { createMetrics, type SharedFigures } from './platform/metrics/metrics.ts';
import { createSweeper, type Sweeper, type SweepTask } from './platform/sweeper.ts';
import { VERSION } from './version.ts';

/** Everything the service can do. A new feature is a folder and a line here. */
export const featuresOf = (config: Config): readonly Feature[] => [
  health,
  discovery,
  registration,
  password,
  mfa,
  passkeys,
  emailOtp,
  oauth,
  emailVerification,
  reclaiming,
  sessions,
  trustedBrowsers,
  users,
  avatars,
  members,
  invitations,
  organizations,
  featureFlags,
  audit,
  integrations,
  consoleFeature,
  reference(() => featuresOf(config), VERSION),
  web,
  ...(config.NODE_ENV === 'production' ? [] : [devMail]),
];

export interface AppOptions extends ServerOptions {
  config: Config;
  log: Logger;
  database: Database;
  clock?: Clock;
  /** In place of the contract's, for tests of everything else. */
  hashCost?: HashCost | undefined;
  /** In place of the service's own, for tests of the server itself. */
  features?: readonly Feature[];
  /** The other processes behind the same port. Left out: there are none. */
  workers?: Workers;
}

interface Workers {
  readonly siblings: Siblings;
  readonly figures: SharedFigures;
}

export interface App {
  readonly server: FastifyInstance;
  readonly deps: Deps;
  readonly sweeper: Sweeper;
  /** Connects the bus, makes sure of a signing key, starts the background work. The schema must be there. */
  start(options?: { firstKey?: Promise<NewKey> | undefined }): Promise<void>;
  /**
   * Lets requests under way finish, then stops the background work. The database stays open: it is the caller's. With `handover`
   * another process has taken over: connections get a while to end with an answer, until the signal says otherwise.
   */
  stop(handover?: AbortSignal): Promise<void>;
}

const sweepsOf = (config: Config): readonly SweepTask[] => [
  { name: 'audit counts', sweep: async (db, _now, limit) => ((await countAuditRows(db)) ? limit : 0) },
  { name: 'audit months', sweep: async (db, now) => ensureAuditMonths(db, now).then(() => 0) },
  { name: 'bus', sweep: (db, now, limit) => deleteOldBusEvents(db, after(now, -3600), limit) },
  { name: 'counters', sweep: deleteExpiredCounters },
  { name: 'identities', sweep: deleteOldIdentities },
  { name: 'invitations', sweep: deleteOldInvitations },
  { name: 'mails', sweep: deleteFinishedMails },
  { name: 'memberships', sweep: deleteOldMemberships },
  { name: 'mfa tokens', sweep: deleteOldMfaTokens },
  { name: 'oauth states', sweep: deleteOldStates },
  { name: 'one-time tokens', sweep: deleteExpiredOneTimeTokens },
  { name: 'passkey challenges', sweep: deleteOldChallenges },
  { name: 'passkeys', sweep: deleteOldPasskeys },
  { name: 'password counts', sweep: mergePasswordCounts },
  { name: 'refresh uses', sweep: (db, now, limit) => deleteOldRefreshUses(db, after(now, -USES_KEPT), limit) },
  { name: 'revocations', sweep: deleteExpiredRevocations },
  { name: 'sessions', sweep: (db, now, limit) => deleteEndedSessions(db, config, now, limit) },
  { name: 'signing keys', sweep: (db, now, limit) => deleteDeadSigningKeys(db, after(now, -7 * 86400), limit) },
  { name: 'trusted browsers', sweep: deleteOldTrustedBrowsers },
  { name: 'user counts', sweep: mergeUserCounts },
];

const KEY_RELOAD = 60_000;
/** The bus tells of a change at once; this is for when it cannot. */
const PROVIDER_RELOAD = LIMITS.providerReload * 1000;
/** What hashes that were brought along cost changes with every one that is replaced. */
const HASHES_RELOAD = 60_000;
const FLUSH = 5_000;
const SERVED_AGAIN = 10_000;
/** Seconds. */
const SERVED_FOR = 30;
/** A connection that is in use has its next request by then; who closes an idle one, closes none that is about to be used. */
const HANDOVER = 2_000;
const REQUEST_GRACE = 6_000;
const WORKER_GRACE = 4_000;

export function createApp({
  config,
  log,
  database,
  clock = systemClock,
  hashCost,
  features,
  workers,
  ...serverOptions
}: AppOptions): App {
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
  const metrics = createMetrics(workers?.figures);
  const keys = createSigningKeys(db, clock, keyring);
  const outlets = chooseTransport(config, clock, providers);
  const worker = createMailWorker({ db, clock, log, keyring, config, outlets });
  const hashed = metrics.counter('gatehouse_password_hashes_total', 'Password hashes computed');
  const unhashed = metrics.counter('gatehouse_passwords_refused_total', 'Passwords not judged because too many waited');
  const unmailed = metrics.counter('gatehouse_mails_limited_total', 'Mails not queued because of a limit');
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
    limiter: createLimiter(db, clock, keyring.current.derive('limiter')),
    accessTokens: createAccessTokens({ keys, clock, issuer: config.PUBLIC_BASE_URL, ttl: config.ACCESS_TOKEN_TTL }),
    sessions: createSessionStates(db, clock, bus),
    revocations: createRevocationFeed(reserved.db, clock),
    passwords: createPasswords({
      processes: config.WORKERS,
      cost: hashCost,
      onHash: hashed.add,
      onRefusal: unhashed.add,
      place: { db, keyring, log },
    }),
    mail: { keyring, clock, transport: outlets.current, wake: worker.wake, limited: unmailed.add },
    providers,
    keySets: createKeySets(clock),
    flags: createFlagStates(db, bus),
    lifecycle: { leaving: false, stopping: false },
  };
  addGauges(deps);
  bus.subscribe('signing_keys', () => keys.reload());
  bus.subscribe('providers', () => providers.reload());
  bus.subscribe('password_hashes', () => deps.passwords.reload());
  const sweeper = createSweeper(db, clock, log, sweepsOf(config));
  const server = createServer(deps, features ?? featuresOf(config), serverOptions);
  const timers: NodeJS.Timeout[] = [];
  const every = (interval: number, work: () => Promise<unknown>, complaint: string): void => {
    timers.push(setInterval(() => work().catch((err) => log.warn({ err }, complaint)), interval).unref());
  };
  return {
    server,
    deps,
    sweeper,
    async start({ firstKey } = {}) {
      await bus.start();
      await providers.reload();
      // First: a row without a table of its month stays among the rest for ever.
      await ensureAuditMonths(db, clock.now());
      await ensureSigningKey(deps, firstKey);
      await deps.passwords.reload();
      await dropForeignCounts(db);
      await claimInitialOwnerAtStart(deps);
      worker.start();
      sweeper.start();
      every(KEY_RELOAD, keys.reload, 'keys could not be read');
      every(PROVIDER_RELOAD, providers.reload, 'the configuration of providers could not be read');
      every(HASHES_RELOAD, deps.passwords.reload, 'the kinds of password hashes could not be counted');
      every(FLUSH, deps.sessions.flush, 'last uses were not written');
      if (isPooled(database.address)) {
        await holdTurn(db, SERVED, SERVED_FOR);
        every(SERVED_AGAIN, () => holdTurn(db, SERVED, SERVED_FOR), 'it was not said that the service runs');
      }
    },
    async stop(handover) {
      deps.lifecycle.leaving = true;
      if (handover) await sleep(HANDOVER, undefined, { signal: handover }).catch(() => {});
      if (!handover || handover.aborted) {
        deps.lifecycle.stopping = true;
        // A balancer sends us requests until it has looked at `/readyz` once more.
        if (config.DRAIN_SECONDS > 0) await sleep(config.DRAIN_SECONDS * 1000);
      }
      for (const timer of timers) clearInterval(timer);
      await closeServer(server);
      await deps.sessions.flush().catch(() => {});
      // A mail under way may hang on a silent server; its lease ends by itself, and another worker takes it up.
      await Promise.race([
        Promise.all([worker.stop(), sweeper.stop(), bus.stop()]),
        sleep(WORKER_GRACE, undefined, { ref: false }),
      ]);
      await reserved.close();
    },
  };
}

/**
 * A connection that was busy when the close began must end with its answer, not with its keep-alive time; one that never
 * completes its request must not hold the exit for ever.
 */
async function closeServer(server: FastifyInstance): Promise<void> {
  const sweep = setInterval(() => server.server.closeIdleConnections(), 50);
  const cut = setTimeout(() => server.server.closeAllConnections(), REQUEST_GRACE);
  await server.close().finally(() => {
    clearInterval(sweep);
    clearTimeout(cut);
  });
}

function addGauges({ metrics, database, db, bus, keys, clock, providers }: Deps): void {
  metrics.gauge({ name: 'gatehouse_workers', help: 'Processes that answer', across: 'sum' }, () => 1);
  metrics.gauges(
    { name: 'gatehouse_database_connections', help: 'Connections of the pool', label: 'state', across: 'sum' },
    async () => ({ ...database.load() }),
  );
  metrics.gauges(
    {
      name: 'gatehouse_mails',
      help: 'Mails in the queue, and finished ones not yet swept',
      label: 'state',
      across: 'max',
    },
    () => countMails(db),
  );
  metrics.gauges(
    {
      name: 'gatehouse_provider_degraded',
      help: '1 while what is stored cannot be applied',
      label: 'provider',
      across: 'max',
    },
    async () =>
      Object.fromEntries(PROVIDERS.map((provider) => [provider, Number(providers.find(provider).degraded !== null)])),
  );
  metrics.gauge({ name: 'gatehouse_bus_fresh', help: '1 while changes of other replicas arrive', across: 'min' }, () =>
    Number(bus.isFresh()),
  );
  metrics.gauge({ name: 'gatehouse_signing_key_age_seconds', help: 'Age of the key that signs', across: 'max' }, () => {
    const current = keys.current();
    return current ? (clock.now().getTime() - current.signsFrom.getTime()) / 1000 : Number.NaN;
  });
}
