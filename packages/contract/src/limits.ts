/** §8, in seconds, bytes and counts. Limits that operators can change are settings (the server's `platform/config`). */
export const LIMITS = {
  emailCode: { digits: 6, lifetime: 600, attempts: 5 },
  passwordReset: { lifetime: 3600 },
  emailVerification: { lifetime: 24 * 3600 },
  invitation: { lifetime: 7 * 24 * 3600 },
  password: { min: 12, max: 256 },
  mfaToken: { lifetime: 300, attempts: 5, denylist: 600 },
  totp: { digits: 6, step: 30, drift: 1, setup: 600 },
  recoveryCodes: 10,
  passkey: { challenge: 300, perUser: 50 },
  oauthFlow: 600,
  identitiesPerUser: 50,
  /** Seconds in which the failed attempts of one client address are counted. */
  failuresPerAddress: { window: 600 },
  stepUpWindow: 300,
  integrationRequests: { count: 100, window: 60 },
  providerSecret: { maxBytes: 4096, minOAuthCharacters: 8 },
  probeTimeout: 5,
  /** Permissions of the product: how many, and how long a name and, in a token, the list of them may be. */
  permission: { name: 80, count: 500, claimBytes: 1024 },
  /** `perOwner`: roles of one organization, and global ones. `listed`: entries of a list in a request. */
  role: { name: 120, description: 500, perOwner: 100, listed: 1000 },
  /** `perOwner`: webhooks of one organization, and of the platform. */
  webhook: {
    url: 2048,
    description: 500,
    pattern: 120,
    patterns: 100,
    perOwner: 10,
    /** Seconds for which the old and the new secret sign. */
    secretOverlap: 24 * 3600,
    deliveryTimeout: 15,
    deliveriesKept: 30 * 24 * 3600,
    /** A webhook is disabled when attempts have failed for this time. */
    failing: 5 * 24 * 3600,
  },
  /** Connections for single sign-on. `perOrganization` counts connections, the others characters and entries. */
  sso: { perOrganization: 5, name: 120, issuer: 2048, clientId: 255, clientSecret: 4096, domain: 253, domains: 20 },
  events: { default: 100, max: 1000 },
  /** Applications, their URIs and secrets; seconds that codes and interactions are valid. */
  application: { count: 200, name: 120, uris: 20, uri: 2000, secrets: 3, code: 60, interaction: 600 },
  /** `listed`: entries of a list in a request. `overlap` and `tokenLifetime` are in seconds. */
  machine: {
    name: 120,
    description: 500,
    perOrganization: 100,
    keys: 10,
    listed: 64,
    overlap: 604_800,
    tokenLifetime: 300,
    scopeClaimBytes: 1024,
  },
  /** Characters. Proxies and servers limit the headers of a request, often to 4 or 8 KiB. */
  accessToken: 3500,
  /** With more changes than this, one feed entry makes the tokens of a whole organization, or of all, stale. */
  refreshes: { members: 50, organizations: 100 },
  /** `minAge` and `maxAge` of a session are in seconds; `networks` is the number of entries of `allowed_networks`. */
  policy: { minAge: 900, maxAge: 7_776_000, networks: 64 },
  /** `name`: characters. `perOrganization`: domains. `lapse`: seconds without the DNS record until a domain lapses. */
  domain: { name: 242, perOrganization: 20, lapse: 7 * 24 * 3600 },
  flagKey: 120,
  flagValue: { bytes: 16 * 1024, depth: 32 },
  providerReload: 30,
  pageSize: { default: 25, max: 100 },
  /** For members and invitations, whose lists the contract shows as a whole. */
  teamPageSize: { default: 1000, max: 1000 },
  /** Beyond this, a sign-in ends the oldest session, so that ending all sessions of a user is always fast. */
  sessionsPerUser: 1000,
  /** All memberships are listed in the user record, so their number is limited. */
  membershipsPerUser: 1000,
  /** The maximum number of audit events in the export of a user's data: the newest ones. */
  exportedEvents: 10_000,
  trustedBrowser: 30 * 24 * 3600,
  /** Beyond this, a new trusted browser replaces the oldest. */
  trustedBrowsersPerUser: 100,
  /** How long revoked rows are kept, so that revoking the same row again is not an error. */
  revokedKept: 90 * 24 * 3600,
  revocationFeed: { maxStaleness: 5, maxAge: 2 },
  jsonBodyBytes: 1024 * 1024,
  formBodyBytes: 64 * 1024,
  avatarBytes: 5 * 1024 * 1024,
} as const;
