/** What belongs together in a ledger: the tests that try it, wherever they live. A test that keeps no ledger is one case. */
interface Chapter {
  readonly name: string;
  /** One line. */
  readonly about: string;
  readonly files: readonly string[];
}

export type Option = 'rounds' | 'minutes' | 'seed';

export interface Campaign {
  readonly about: string;
  /** What its length and its luck can be set by. */
  readonly options: readonly Option[];
  /** How its ledger calls a case that went well. */
  readonly held: 'refused' | 'survived';
  readonly chapters: readonly Chapter[];
}

const OAUTH = 'packages/server/src/features/oauth';
const TRANSFER = 'packages/server/src/domain/transfer';
const PASSKEYS = 'packages/server/src/features/passkeys';

export const CAMPAIGNS = {
  attack: {
    about: 'what somebody might try who is not to get in',
    options: ['rounds'],
    held: 'refused',
    chapters: [
      {
        name: 'races',
        about: 'one code, token or seat, fifty hands at once, through two servers',
        files: ['trust/attack/races*.test.ts', 'packages/server/test/race/*.test.ts'],
      },
      {
        name: 'who exists',
        about: 'answers, rows and times for people who are there and people who are not',
        files: ['trust/attack/who-exists*.test.ts'],
      },
      {
        name: 'guessing',
        about: 'one client over many accounts, second factors after a right password',
        files: ['trust/attack/guessing*.test.ts', 'packages/server/src/domain/limits/*.test.ts'],
      },
      { name: 'tokens', about: 'forged, swapped, outlived', files: ['trust/attack/tokens*.test.ts'] },
      {
        name: 'assurance',
        about: 'sessions that are too old, or have one factor of two',
        files: ['trust/attack/assurance*.test.ts', 'packages/server/src/http/step-up.test.ts'],
      },
      {
        name: 'cookies',
        about: 'CSRF, tossed and broken cookies, other origins',
        files: ['trust/attack/cookies*.test.ts'],
      },
      {
        name: 'redirects',
        about: 'where redirect_to and mailed links may lead',
        files: ['trust/attack/redirects*.test.ts'],
      },
      {
        name: 'third parties',
        about: 'identity providers that lie, and browsers that were swapped',
        files: ['trust/attack/third-parties*.test.ts', `${OAUTH}/{hostile,flow,takeover}.test.ts`],
      },
      {
        name: 'passkeys',
        about: 'authenticators that lie',
        files: ['trust/attack/passkeys*.test.ts', `${PASSKEYS}/*.test.ts`],
      },
      {
        name: 'mailbox',
        about: 'accounts that an attacker registered with the address of someone else',
        files: ['trust/attack/mailbox*.test.ts', 'packages/server/src/features/reclaim/*.test.ts'],
      },
      {
        name: 'tenancy',
        about: 'who may ask what, and ids of other tenants',
        files: ['trust/attack/tenancy*.test.ts', 'packages/server/test/access-table.test.ts'],
      },
      {
        name: 'floods',
        about: 'one client that asks without end, at the expense of everybody else',
        files: ['trust/attack/floods*.test.ts'],
      },
      {
        name: 'secrets',
        about: 'planted, and looked for wherever they must not be',
        files: ['trust/attack/secrets*.test.ts'],
      },
      {
        name: 'imports',
        about: 'exports that were changed, before they are imported and meanwhile',
        files: [`${TRANSFER}/{check-files,refusals,resume}.test.ts`],
      },
    ],
  },
  faults: {
    about: 'what breaks around the service, and in it',
    options: ['rounds', 'minutes', 'seed'],
    held: 'survived',
    chapters: [
      {
        name: 'database',
        about: 'restarted, killed, cut off, slow, full, read-only',
        files: ['trust/faults/database*.test.ts'],
      },
      {
        name: 'crashes',
        about: 'kill -9 at any moment: done or not done, and told',
        files: ['trust/faults/crashes*.test.ts'],
      },
      {
        name: 'surroundings',
        about: 'disk, clock, mail, identity providers',
        files: ['trust/faults/surroundings*.test.ts'],
      },
      { name: 'load', about: 'stops and restarts under load, overload, a soak', files: ['trust/faults/load*.test.ts'] },
    ],
  },
  fuzz: {
    about: 'input nobody has thought of',
    options: ['seed'],
    held: 'refused',
    chapters: [
      {
        name: 'schemas',
        about: 'every endpoint, from the served OpenAPI document',
        files: ['trust/fuzz/schemas*.test.ts'],
      },
      {
        name: 'bodies',
        about: 'deep, huge, broken and odd bodies, multipart, pictures',
        files: ['trust/fuzz/bodies*.test.ts'],
      },
      {
        name: 'texts',
        about: 'NUL, surrogates, look-alikes, wildcards, headers, pages',
        files: ['trust/fuzz/texts*.test.ts'],
      },
      { name: 'clients', about: 'slow ones, and ones that leave', files: ['trust/fuzz/clients*.test.ts'] },
    ],
  },
} satisfies Record<string, Campaign>;

export type CampaignName = keyof typeof CAMPAIGNS;

export const campaignOf = (name: CampaignName): Campaign => CAMPAIGNS[name];
