import { setTimeout as sleep } from 'node:timers/promises';
import { LIMITS } from '@gatehouse/contract';
import type { FastifyInstance } from 'fastify';
import { v4 as randomUuid } from 'uuid';
import { createDeps, type DepsOptions } from './deps.ts';
import { dropForeignCounts } from './domain/audit/counts/count.ts';
import { ensureAuditMonths } from './domain/audit/queries.ts';
import { claimInitialOwnerAtStart } from './domain/authorization/initial-owner.ts';
import type { Deps } from './domain/context.ts';
import { createDomainChecks, type DomainChecks } from './domain/endings/domain-checks.ts';
import { ensureApplicationKey, ensureSigningKey, type FirstKeys, turnOldKeys } from './domain/endings/ensure-key.ts';
import { deleteReplica, upsertReplica } from './domain/signing-keys/queries.ts';
import { establishStream } from './domain/webhooks/establish-stream.ts';
import { reference } from './features/api-reference/routes.ts';
import { applications } from './features/applications/routes.ts';
import { audit } from './features/audit/routes.ts';
import { avatars } from './features/avatars/routes.ts';
import { devMail } from './features/dev-mail/routes.ts';
import { discovery } from './features/discovery/routes.ts';
import { domains } from './features/email-domains/routes.ts';
import { emailOtp } from './features/email-otp/routes.ts';
import { reclaiming } from './features/email-verification/reclaim/routes.ts';
import { emailVerification } from './features/email-verification/routes.ts';
import { events } from './features/events/routes.ts';
import { featureFlags } from './features/flags/routes.ts';
import { health } from './features/health/routes.ts';
import { invitations } from './features/invitations/routes.ts';

import { machines } from './features/machines/routes.ts';
import { members } from './features/members/routes.ts';
import { mfa } from './features/mfa/routes.ts';
import { GRANTS } from './features/oauth-server/grants/list.ts';
import { provider } from './features/oauth-server/routes.ts';
import { tokenEndpoint } from './features/oauth-server/token-endpoint.ts';
import { organizations } from './features/organizations/routes.ts';
import { consoleFeature } from './features/overview/routes.ts';
import { web } from './features/pages/routes.ts';
import { passkeys } from './features/passkeys/routes.ts';
import { password } from './features/password/routes.ts';
import { policy } from './features/policy/routes.ts';
import { integrations } from './features/provider-settings/routes.ts';
import { registration } from './features/register/routes.ts';
import { roles } from './features/roles/routes.ts';
import { sessions } from './features/sessions/routes.ts';
import { oauth } from './features/social/routes.ts';
import { sso } from './features/sso/routes.ts';
import { ssoConnections } from './features/sso-connections/routes.ts';
import { trustedBrowsers } from './features/trusted-browsers/routes.ts';
import { users } from './features/users/routes.ts';
import { webhooks } from './features/webhooks/routes.ts';
import type { Feature } from './http/route.ts';
import { closeServer, createServer, type ServerOptions } from './http/server.ts';
import type { Config } from './platform/config/settings.ts';
import { isPooled } from './platform/db/connect.ts';
import { forceLease, SERVED } from './platform/db/lease.ts';
import { createSweeper, type Sweeper } from './platform/sweeper.ts';
import { VERSION } from './version.ts';

/** All features of the service. A new feature is a folder and a line here. */
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
  tokenEndpoint(GRANTS),
  provider,
  applications,
  users,
  avatars,
  members,
  invitations,
  roles,
  machines,
  organizations,
  policy,
  sso,
  domains,
  ssoConnections,
  featureFlags,
  audit,
  events,
  webhooks,
  integrations,
  consoleFeature,
  reference(() => featuresOf(config), VERSION),
  web,
  ...(config.NODE_ENV === 'production' ? [] : [devMail]),
];

export interface AppOptions extends DepsOptions, ServerOptions {
  /** Replaces the service's features, in tests of the server itself. */
  features?: readonly Feature[];
}

export interface App {
  readonly server: FastifyInstance;
  readonly deps: Deps;
  readonly sweeper: Sweeper;
  readonly domainChecks: DomainChecks;
  /** Connects the bus, ensures that there are signing keys, and starts the background work. The schema must exist. */
  start(options?: { firstKeys?: FirstKeys | undefined }): Promise<void>;
  /**
   * Waits for running requests, then stops the background work. The caller closes the database. `handover`: another
   * process has taken over, so connections may end with their next response, until the signal is aborted.
   */
  stop(handover?: AbortSignal): Promise<void>;
}

const KEY_RELOAD_MS = 60_000;
/** Fallback in case a bus notification is lost; the bus normally announces a changed configuration immediately. */
const PROVIDER_RELOAD_MS = LIMITS.providerReload * 1000;
/** Imported kinds of password hashes, which decide the time of a failed sign-in, vanish as users sign in. */
const HASHES_RELOAD_MS = 60_000;
const FLUSH_MS = 5_000;
const SERVED_RENEW_MS = 10_000;
const REPLICA_RENEW_MS = 10_000;
const SERVED_SECONDS = 30;
/** A connection in use sends its next request within this time, so closing idle ones then interrupts no request. */
const HANDOVER_MS = 2_000;
const WORKER_GRACE_MS = 4_000;

export function createApp(options: AppOptions): App {
  const { features = featuresOf(options.config) } = options;
  const { deps, mailWorker, webhookWorker, fanOut, close } = createDeps(options);
  const { config, log, db, database, clock, bus, keys, providers } = deps;
  for (const { gauges } of features) gauges?.(deps);
  const sweeper = createSweeper(
    deps,
    features.flatMap(({ sweeps = [] }) => sweeps),
  );
  const domainChecks = createDomainChecks(deps);
  const workers = [mailWorker, webhookWorker, fanOut, sweeper, domainChecks];
  const server = createServer(deps, features, options);
  const timers: NodeJS.Timeout[] = [];
  const replica = randomUuid();
  let isListed = false;
  const every = (interval: number, work: () => Promise<unknown>, warning: string): void => {
    timers.push(setInterval(() => work().catch((err) => log.warn({ err }, warning)), interval).unref());
  };
  return {
    server,
    deps,
    sweeper,
    domainChecks,
    async start({ firstKeys } = {}) {
      await bus.start();
      await providers.reload();
      // Must be first: a row whose month has no partition stays in the default partition forever.
      await ensureAuditMonths(db, clock.now());
      await ensureSigningKey(deps, { prepared: firstKeys?.sessions, replica });
      isListed = true;
      await ensureApplicationKey(deps, firstKeys?.applications);
      await deps.passwords.reload();
      await dropForeignCounts(db);
      await claimInitialOwnerAtStart(deps);
      await establishStream(db, clock.now());
      for (const worker of workers) worker.start();
      const renew = () => upsertReplica(deps.reservedDb, { id: replica, kid: keys.current()!.kid });
      every(REPLICA_RENEW_MS, renew, 'the entry of this process in the list of replicas could not be renewed');
      every(KEY_RELOAD_MS, keys.reload, 'the signing keys could not be reloaded');
      every(KEY_RELOAD_MS, deps.applicationKeys.reload, 'the signing keys of applications could not be reloaded');
      every(KEY_RELOAD_MS, () => turnOldKeys(deps), 'the signing keys could not be given successors');
      every(PROVIDER_RELOAD_MS, providers.reload, 'the provider configuration could not be reloaded');
      every(HASHES_RELOAD_MS, deps.passwords.reload, 'the counts of password hashes could not be reloaded');
      every(FLUSH_MS, deps.sessions.flush, 'the last-used times of sessions could not be written');
      every(FLUSH_MS, deps.machines.flush, 'the last-used times of API keys could not be written');
      if (isPooled(database.address)) {
        await forceLease(db, SERVED, SERVED_SECONDS);
        every(
          SERVED_RENEW_MS,
          () => forceLease(db, SERVED, SERVED_SECONDS),
          'the lease that marks the service as running could not be renewed',
        );
      }
    },
    async stop(handover) {
      deps.lifecycle.leaving = true;
      if (handover) await sleep(HANDOVER_MS, undefined, { signal: handover }).catch(() => {});
      if (!handover || handover.aborted) {
        deps.lifecycle.stopping = true;
        // A load balancer keeps sending requests until its next check of `/readyz` fails.
        if (config.DRAIN_SECONDS > 0) await sleep(config.DRAIN_SECONDS * 1000);
      }
      for (const timer of timers) clearInterval(timer);
      await closeServer(server);
      await deps.sessions.flush().catch(() => {});
      await deps.machines.flush().catch(() => {});
      // A worker may hang while it sends to an unresponsive server. Its lease expires, and another worker sends again.
      await Promise.race([
        Promise.all([...workers, bus].map((worker) => worker.stop())),
        sleep(WORKER_GRACE_MS, undefined, { ref: false }),
      ]);
      if (isListed) await deleteReplica(deps.reservedDb, replica).catch(() => {});
      await close();
    },
  };
}
