import { isApiKey } from './api-key.ts';
import { createBoundedCache } from './bounded-cache.ts';
import type { CurrentSession } from './current-session.ts';
import { createFeed } from './feed.ts';
import { createIssuerCheck } from './issuer.ts';
import { createKeyTokens } from './key-tokens.ts';
import { createKeys, type Key } from './keys.ts';
import { createLookUps } from './look-up.ts';
import { lacksPermission, meetNeeds, NEEDS, type Needs, requireKnown } from './needs.ts';
import { settingsOf, type VerifierOptions } from './options.ts';
import type { Permission } from './permission.ts';
import { requireUser } from './require.ts';
import { type Claims, type Session, sessionOfClaims } from './session.ts';
import { type RoleHolder, roleHolderOf } from './stale-tokens.ts';
import { readToken } from './token.ts';
import { VerifyError } from './verify-error.ts';

/**
 * Created by {@link createVerifier}. Every rejected token is reported as a {@link VerifyError}. Each method that takes
 * an access token also takes an API key (`gth_…`).
 */
export interface Verifier {
  /**
   * Verifies an access token in this process and returns its session. An API key is first exchanged for a token, once:
   * the token is kept until shortly before it ends. A mistyped key is rejected by its checksum, without a request. A
   * revoked key is rejected within 5 seconds; one that the service rejects is not sent again for 5 seconds.
   *
   * @example
   * ```ts
   * import { createVerifier } from '@gatehouse/verify';
   *
   * const verifier = createVerifier({ issuer: 'https://id.example.com' });
   * const session = await verifier.verify(key);
   * console.log(session.role, session.auth_method); // machine api_key
   *
   * const mistyped = await verifier.verify(`${key}x`).catch((error) => error.code);
   * console.log(mistyped); // token_invalid
   * ```
   */
  verify(token: string): Promise<Session>;
  /**
   * Verifies the token, then requests the current state of the session from the service: name, role, permissions.
   * Cached for `lookUpSeconds`.
   */
  lookUp(token: string): Promise<CurrentSession>;
  /**
   * Rejects with `forbidden` unless the user has this permission in the organization of the session, by the service's
   * current data. `require({ permission })` reads permissions of your product from the token instead. A new permission
   * is noticed within a second. If one was removed, the token is rejected as `token_stale` within 5 seconds; with a
   * service older than product roles it is noticed within `lookUpSeconds`.
   */
  requirePermission(token: string, permission: Permission): Promise<CurrentSession>;
  /**
   * Rejects with `step_up_required` unless a second factor or a passkey was verified in the last `seconds`, by the
   * clock of this computer, and with `forbidden` for a machine. A new verification is noticed within a second.
   */
  requireStepUp(token: string, seconds: number): Promise<CurrentSession>;
  /**
   * Returns a verifier that accepts only sessions that meet all `needs`, with `verify`, {@link admit} and `protect` of
   * each adapter. Keys, feed and polling are shared.
   *
   * @example
   * ```ts
   * import { createVerifier } from '@gatehouse/verify';
   * import { protect } from '@gatehouse/verify/hono';
   * import { Hono } from 'hono';
   *
   * const verifier = createVerifier({ issuer: 'https://id.example.com' });
   * const verified = verifier.require({ verifiedEmail: true });
   * const mayRead = verified.require({ permission: 'invoices.read' });
   * const app = new Hono();
   * app.use('/api/*', protect(verified));
   * app.get('/api/invoices', protect(mayRead), (c) => c.json([]));
   *
   * console.log((await app.request('/api/invoices')).status); // 401
   * ```
   */
  require(needs: Needs): Verifier;
  /**
   * Fetches the keys and the feed, and throws a TypeError that names both issuers if the service has another `issuer`
   * than the option. Optional: wait for it before the process reports that it is ready.
   */
  ready(): Promise<void>;
  /** Stops the polling. After that every token is rejected. */
  close(): void;
}

/** A token whose signature was verified. It is cached by the text of the token. */
interface Proof {
  readonly key: Key;
  readonly claims: Claims;
  readonly holder: RoleHolder;
}

/** How far `iat` may be in the future. */
const MAX_AHEAD_S = 60;

/**
 * Creates a verifier for the access tokens of one Gatehouse. Create one per process; it fetches nothing before its
 * first use.
 *
 * @example
 * ```ts
 * import { createVerifier } from '@gatehouse/verify';
 *
 * const verifier = createVerifier({ issuer: 'https://id.example.com' });
 * const session = await verifier.verify(token);
 * console.log(session.user_id);
 *
 * const { capabilities } = await verifier.requirePermission(token, 'members.invite');
 * console.log(capabilities.role);
 * verifier.close();
 * ```
 */
export function createVerifier(options: VerifierOptions): Verifier {
  const settings = settingsOf(options);
  const { audience, clockSkew } = settings;
  const checkIssuer = createIssuerCheck(settings);
  const keys = createKeys(settings);
  const feed = createFeed(settings);
  const lookUps = createLookUps(settings);
  const keyTokens = createKeyTokens(settings);
  const proofs = createBoundedCache<Proof>(settings.maxCachedTokens);

  const requireTime = ({ iat, exp }: Claims): void => {
    const second = Date.now() / 1000;
    if (second >= exp + clockSkew) throw new VerifyError('token_expired', 'the token has expired');
    if (second < iat - MAX_AHEAD_S - clockSkew)
      throw new VerifyError('token_invalid', 'the token was issued in the future: check the clocks');
  };

  const prove = async (token: string): Promise<Proof> => {
    if (typeof token !== 'string' || token === '') throw new VerifyError('token_missing', 'there is no token');
    const { kid, claims } = readToken(token, settings);
    requireTime(claims);
    const key = await keys.find(kid);
    if (!(await key.hasSigned(token))) throw new VerifyError('token_invalid', 'the signature of the token is wrong');
    const proof = { key, claims, holder: await roleHolderOf(claims) };
    proofs.set(token, proof);
    return proof;
  };

  const requireActive = ({ key, claims, holder }: Proof): Session => {
    requireTime(claims);
    if (key.retired) throw new VerifyError('token_invalid', 'the key that signed the token is no longer published');
    const state = feed.stateOf(claims);
    if (state === 'revoked') throw new VerifyError('session_revoked', 'the session was revoked');
    if (state === 'ended') throw new VerifyError('token_expired', 'the token has expired');
    if (state === 'unknown')
      throw new VerifyError('token_expired', 'the token is too old: more sessions were revoked since than are kept');
    // Applications get changed permissions with their next token.
    if (audience === undefined && feed.isStale(holder))
      throw new VerifyError('token_stale', 'roles have changed: refresh the session');
    return sessionOfClaims(claims);
  };

  const verifyToken = async (token: string): Promise<Session> => {
    let proof = proofs.get(token);
    // A retired key may be published again, with the same key id.
    if (!proof || proof.key.retired) proof = await prove(token);
    if (!feed.isFresh()) await feed.freshen();
    return requireActive(proof);
  };

  /**
   * Returns the session, and the token for requests to the service: for an API key, the token it was exchanged for.
   * With the option `audience`, a key is not exchanged: the token would be for another audience.
   */
  const authenticate = async (credential: string): Promise<{ token: string; session: Session }> =>
    isApiKey(credential) && audience === undefined
      ? keyTokens.verify(credential, verifyToken)
      : { token: credential, session: await verifyToken(credential) };

  /** GET /auth/session accepts no tokens of applications, so these cannot be looked up. */
  const authenticateOwn = async (credential: string): Promise<{ token: string; session: Session }> => {
    const authenticated = await authenticate(credential);
    if (audience === undefined) return authenticated;
    throw new VerifyError('forbidden', 'a token of an application is not accepted here');
  };

  const verifier: Verifier = {
    verify: async (credential) => (await authenticate(credential)).session,
    require: (needs) => narrow(verifier, needs),
    async lookUp(credential) {
      const { token, session } = await authenticateOwn(credential);
      return lookUps.find(token, session);
    },
    async requirePermission(credential, permission) {
      const { token, session } = await authenticateOwn(credential);
      return lookUps.require(token, session, ({ capabilities }) =>
        capabilities.permissions.includes(permission) ? undefined : lacksPermission(permission),
      );
    },
    async requireStepUp(credential, seconds) {
      const { token, session } = await authenticateOwn(credential);
      requireUser(session);
      return lookUps.require(token, session, ({ user: { mfa_verified_at } }) =>
        mfa_verified_at !== null && Date.now() - Date.parse(mfa_verified_at) <= seconds * 1000
          ? undefined
          : new VerifyError('step_up_required', 'verify your second factor'),
      );
    },
    async ready() {
      await Promise.all([keys.ready(), feed.ready(), checkIssuer()]);
    },
    close() {
      keys.close();
      feed.close();
      keyTokens.close();
    },
  };
  return verifier;
}

/** Returns the same verifier, but it accepts only sessions that meet all needs. */
function narrow(verifier: Verifier, needs: Needs): Verifier {
  requireKnown(NEEDS, needs, 'require');
  const verify = async (token: string): Promise<Session> => {
    const session = await verifier.verify(token);
    await meetNeeds(verifier, token, session, needs);
    return session;
  };
  const narrowed: Verifier = {
    verify,
    lookUp: async (token) => {
      await verify(token);
      return verifier.lookUp(token);
    },
    requirePermission: async (token, permission) => {
      await verify(token);
      return verifier.requirePermission(token, permission);
    },
    requireStepUp: async (token, seconds) => {
      await verify(token);
      return verifier.requireStepUp(token, seconds);
    },
    require: (more) => narrow(narrowed, more),
    ready: () => verifier.ready(),
    close: () => verifier.close(),
  };
  return narrowed;
}
