import type { Bus } from '../platform/bus/bus.ts';
import type { Clock } from '../platform/clock.ts';
import type { Config } from '../platform/config/settings.ts';
import type { Keyring } from '../platform/crypto/keyring.ts';
import type { Database, Db } from '../platform/db/connect.ts';
import type { Limiter } from '../platform/limiter/limiter.ts';
import type { Logger } from '../platform/log.ts';
import type { Metrics } from '../platform/metrics/metrics.ts';
import type { TxtLookup } from '../platform/outbound/txt-lookup.ts';
import type { ApplicationStates } from './applications/states.ts';
import type { FlagStates } from './flags/states.ts';
import type { MachineStates } from './machines/state.ts';
import type { MailQueue } from './mail/queue.ts';
import type { GrantStates } from './oauth-server/grants/states.ts';
import type { GrantTokens } from './oauth-server/grants/tokens.ts';
import type { Passwords } from './passwords/passwords.ts';
import type { KeySets } from './provider-settings/key-sets.ts';
import type { ProviderStates } from './provider-settings/states.ts';
import type { AccessTokens } from './sessions/access-token.ts';
import type { RevocationFeedCache } from './sessions/feed/feed.ts';
import type { SessionStates } from './sessions/state.ts';
import type { SigningKeys } from './signing-keys/keys.ts';
import type { SsoHttp } from './sso/http.ts';

/** The dependencies of use cases. Built once, in `deps.ts`, and passed as the first argument. */
export interface Deps {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Logger;
  readonly database: Database;
  readonly db: Db;
  /** Uses a separate connection that requests cannot exhaust: for endpoints that are answered under overload too. */
  readonly reservedDb: Db;
  readonly bus: Bus;
  readonly keyring: Keyring;
  /** Key ring of CONFIG_ENCRYPTION_KEY. Undefined: provider secrets cannot be stored. */
  readonly configKeyring: Keyring | undefined;
  readonly limiter: Limiter;
  readonly metrics: Metrics;
  readonly keys: SigningKeys;
  /** The keys that sign the tokens of applications, separate from `keys`. */
  readonly applicationKeys: SigningKeys;
  readonly applications: ApplicationStates;
  readonly grants: GrantStates;
  readonly grantTokens: GrantTokens;
  readonly accessTokens: AccessTokens;
  readonly sessions: SessionStates;
  readonly machines: MachineStates;
  readonly revocations: RevocationFeedCache;
  readonly passwords: Passwords;
  readonly mail: MailQueue;
  readonly providers: ProviderStates;
  readonly keySets: KeySets;
  readonly txtLookup: TxtLookup;
  readonly sso: SsoHttp;
  readonly flags: FlagStates;
  /** `wake`: call it after a delivery has become due. */
  readonly webhooks: { readonly wake: () => void };
  readonly lifecycle: Lifecycle;
}

interface Lifecycle {
  /** This process shuts down: running requests finish, and each connection closes after its next response. */
  leaving: boolean;
  /** The service stops and no other process replaces this one: `/readyz` is 503. */
  stopping: boolean;
}
