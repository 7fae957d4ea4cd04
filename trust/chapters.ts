/** A row of the ledger: the test files of a chapter, in any folder. A test without a ledger counts as one case. */
interface Chapter {
  readonly name: string;
  readonly about: string;
  readonly files: readonly string[];
}

export type Option = 'rounds' | 'minutes' | 'seed';

export interface Campaign {
  readonly about: string;
  /** The command-line options for the duration and the random seed of the campaign. */
  readonly options: readonly Option[];
  /** The label of a successful case in the ledger. */
  readonly successLabel: 'refused' | 'survived';
  readonly chapters: readonly Chapter[];
}

const SERVER = 'packages/server/src';
const OAUTH = `${SERVER}/features/social`;
const SSO = `${SERVER}/features/sso`;
const TRANSFER = `${SERVER}/domain/export`;
const PASSKEYS = `${SERVER}/features/passkeys`;

export const CAMPAIGNS = {
  attack: {
    about: 'attacks by anonymous clients, by users without permission and by other tenants',
    options: ['rounds'],
    successLabel: 'refused',
    chapters: [
      {
        name: 'races',
        about: 'one code, token or membership, used by fifty requests at once, on two servers',
        files: ['trust/attack/races*.test.ts', 'packages/server/test/race/*.test.ts'],
      },
      {
        name: 'who exists',
        about: 'responses, rows and response times for existing and for unknown users',
        files: ['trust/attack/who-exists*.test.ts'],
      },
      {
        name: 'guessing',
        about: 'one client over many accounts; second factors after a correct password',
        files: ['trust/attack/guessing*.test.ts', 'packages/server/src/domain/limits/*.test.ts'],
      },
      { name: 'tokens', about: 'forged, exchanged and expired tokens', files: ['trust/attack/tokens*.test.ts'] },
      {
        name: 'assurance',
        about: 'sessions whose authentication is too old, or has only one of two factors',
        files: ['trust/attack/assurance*.test.ts', 'packages/server/src/http/step-up.test.ts'],
      },
      {
        name: 'cookies',
        about: 'CSRF, injected and malformed cookies, other origins',
        files: ['trust/attack/cookies*.test.ts'],
      },
      {
        name: 'redirects',
        about: 'where redirect_to and mailed links may lead',
        files: ['trust/attack/redirects*.test.ts'],
      },
      {
        name: 'third parties',
        about: 'malicious identity providers, and callbacks in another browser',
        files: ['trust/attack/third-parties*.test.ts', `${OAUTH}/{hostile,flow,takeover}.test.ts`],
      },
      {
        name: 'single sign-on',
        about: 'providers of organizations that name other users, and what their sessions reach',
        files: [`${SSO}/{takeover,session,required,concurrent}.test.ts`, `${SERVER}/domain/sso/*.test.ts`],
      },
      {
        name: 'applications',
        about: 'requests, codes and tokens of applications: redirect URIs, PKCE, replay, confusion, consent',
        files: ['trust/attack/applications*.test.ts'],
      },
      {
        name: 'passkeys',
        about: 'forged authenticator responses',
        files: ['trust/attack/passkeys*.test.ts', `${PASSKEYS}/*.test.ts`],
      },
      {
        name: 'mailbox',
        about: 'accounts that an attacker registered with the address of someone else',
        files: ['trust/attack/mailbox*.test.ts', 'packages/server/src/features/email-verification/reclaim/*.test.ts'],
      },
      {
        name: 'tenancy',
        about: 'the access table, and ids of other tenants',
        files: ['trust/attack/tenancy*.test.ts', 'packages/server/test/access-table.test.ts'],
      },
      {
        name: 'floods',
        about: 'one client whose requests slow down all others',
        files: ['trust/attack/floods*.test.ts'],
      },
      {
        name: 'secrets',
        about: 'planted secrets, searched for wherever they must not appear',
        files: ['trust/attack/secrets*.test.ts'],
      },
      {
        name: 'imports',
        about: 'exports that are changed before or during their import',
        files: [`${TRANSFER}/{check-files,refusals,resume}.test.ts`],
      },
    ],
  },
  faults: {
    about: 'failures of the service and of what it depends on',
    options: ['rounds', 'minutes', 'seed'],
    successLabel: 'survived',
    chapters: [
      {
        name: 'database',
        about: 'restarted, killed, disconnected, slow, full, read-only',
        files: ['trust/faults/database*.test.ts'],
      },
      {
        name: 'crashes',
        about: 'kill -9 at any moment: an operation is complete and audited, or left no trace',
        files: ['trust/faults/crashes*.test.ts'],
      },
      {
        name: 'webhooks',
        about:
          'kill -9 of the service and of PostgreSQL: every committed event is delivered; 1,000 receivers that hang',
        files: ['trust/faults/webhooks*.test.ts'],
      },
      {
        name: 'environment',
        about: 'disk, clock, mail, identity providers',
        files: ['trust/faults/environment*.test.ts'],
      },
      { name: 'load', about: 'stops and restarts under load, overload, a soak', files: ['trust/faults/load*.test.ts'] },
    ],
  },
  fuzz: {
    about: 'unexpected input',
    options: ['seed'],
    successLabel: 'refused',
    chapters: [
      {
        name: 'schemas',
        about: 'every endpoint, from the served OpenAPI document',
        files: ['trust/fuzz/schemas*.test.ts'],
      },
      {
        name: 'bodies',
        about: 'deep, huge and malformed bodies, multipart, pictures',
        files: ['trust/fuzz/bodies*.test.ts'],
      },
      {
        name: 'texts',
        about: 'NUL, surrogates, look-alikes, wildcards, headers, page parameters',
        files: ['trust/fuzz/texts*.test.ts'],
      },
      { name: 'clients', about: 'slow clients, and clients that disconnect', files: ['trust/fuzz/clients*.test.ts'] },
    ],
  },
} satisfies Record<string, Campaign>;

export type CampaignName = keyof typeof CAMPAIGNS;

export const campaignOf = (name: CampaignName): Campaign => CAMPAIGNS[name];
