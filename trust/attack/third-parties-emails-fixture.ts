import { OAUTH_PROVIDERS, type OAuthProvider } from '@gatehouse/contract';
import { identitiesOf, newUser, signInWith, wordOf } from '../../packages/server/src/features/social/oauth-fixture.ts';
import { newEmail, registerUser, type TestUser } from '../../packages/server/test/browser.ts';
import { auditOf, findUser, liveSessions, setUser } from '../../packages/server/test/records.ts';
import { cases, fullCases } from '../ledger.ts';
import { beginFlow, clearFaults, finish, mustFail, type Parties } from './third-parties-fixture.ts';
import { differs } from './unchanged-fixture.ts';

type Fake = Parties['fakes'][OAuthProvider];

/** Claims that do not say that the email is verified. */
const NOT_VERIFIED: readonly [OAuthProvider, string, Record<string, unknown>][] = [
  ['oauth_a', 'false', { email_verified: false }],
  ['oauth_a', 'nothing', { email_verified: undefined }],
  ['oauth_a', 'null', { email_verified: null }],
  ['oauth_a', 'the text "false"', { email_verified: 'false' }],
  ['oauth_a', 'the text "TRUE"', { email_verified: 'TRUE' }],
  ['oauth_a', 'the text "yes"', { email_verified: 'yes' }],
  ['oauth_a', '1', { email_verified: 1 }],
  ['oauth_a', 'a list with true', { email_verified: [true] }],
  ['oauth_a', 'an object', { email_verified: {} }],
  ['oauth_d', 'false', { email_verified: false }],
  ['oauth_d', 'the text "false"', { email_verified: 'false' }],
  ['oauth_d', 'nothing', { email_verified: undefined }],
  ['oauth_d', 'the text "True"', { email_verified: 'True' }],
  ['oauth_c', 'nothing of the domain', { xms_edov: undefined }],
  ['oauth_c', 'verified, as others say it', { xms_edov: undefined, email_verified: true }],
  ['oauth_c', 'false', { xms_edov: false }],
  ['oauth_c', 'the text "0"', { xms_edov: '0' }],
  ['oauth_c', '2', { xms_edov: 2 }],
  ['oauth_c', 'a list', { xms_edov: [true] }],
  ['oauth_e', 'no email_verified, as always', {}],
];

const NEARLY: readonly [string, (email: string) => string][] = [
  ['the sign for Kelvin in place of k', (email) => email.replace('k', '\u212a')],
  ['a dotless i', (email) => email.replace('i', '\u0131')],
  ['a Cyrillic a', (email) => email.replace('a', '\u0430')],
  ['full width', (email) => email.replace('k', '\uff4b')],
  ['a long s', (email) => email.replace('s', '\u017f')],
  ['a blank at the end', (email) => `${email} `],
  ['a blank before', (email) => ` ${email}`],
  ['a tab at the end', (email) => `${email}\t`],
  ['a dot at the end', (email) => `${email}.`],
  ['a name around it', (email) => `Robin <${email}>`],
  ['two of them', (email) => `${email},${email}`],
  ['quoted', (email) => email.replace(/^[^@]+/, '"$&"')],
  ['a soft hyphen', (email) => email.replace('k', 'k\u00ad')],
  ['a zero-width joiner', (email) => email.replace('k', 'k\u200d')],
  ['NUL at the end', (email) => `${email}\u0000`],
  ['a line more', (email) => `${email}\r\nBcc: evil@example.com`],
];

/** The short form leaves out cases that `features/social/*.test.ts` cover for every provider. */
export function tryEmails(current: () => Parties): void {
  const account = async (verified = true): Promise<TestUser> => {
    const { replicas } = current();
    const registered = await registerUser(replicas.either(0), { email: newEmail('kim.silas') });
    if (verified) await setUser(replicas.database, registered.user_id, { email_verified_at: new Date() });
    return registered;
  };
  const beginAs = async (fake: Fake, changes: object) => {
    newUser(fake, changes);
    return beginFlow(current(), fake);
  };
  /** Checks that the account is unchanged: no identity, no further session. */
  const checkUnchanged = async ({ user_id, session_id }: TestUser) => {
    const { database } = current().replicas;
    return differs([await identitiesOf(database, user_id), await liveSessions(database, user_id)], [[], [session_id]]);
  };

  fullCases('an email that the provider has not verified signs in to no account', async (ledger) => {
    const victim = await account();
    for (const [provider, name, claims] of NOT_VERIFIED) {
      await ledger.attempt(`${provider}: ${name}`, async () => {
        const fake = current().fakes[provider];
        const trip = await beginAs(fake, { email: victim.email });
        fake.claims = claims;
        const seen = await mustFail(current(), 'account_exists', () => finish(trip));
        clearFaults(current());
        return seen ?? checkUnchanged(victim);
      });
    }
    await ledger.attempt('oauth_b: an address that GitHub has not verified', async () => {
      const trip = await beginAs(current().fakes.oauth_b, { email: victim.email, email_verified: false });
      return (await mustFail(current(), 'email_missing', () => finish(trip))) ?? checkUnchanged(victim);
    });
  });

  fullCases('an account that someone else registered with the email of the victim is not used', async (ledger) => {
    const trap = await account(false);
    for (const provider of OAUTH_PROVIDERS) {
      await ledger.attempt(`${provider} does not sign the victim in to the account of the attacker`, async () => {
        const trip = await beginAs(current().fakes[provider], { email: trap.email });
        const seen = await mustFail(current(), 'account_exists', () => finish(trip));
        const { email_verified_at } = await findUser(current().replicas.database, trap.user_id);
        return seen ?? (email_verified_at === null ? checkUnchanged(trap) : 'its email counts as verified');
      });
      await ledger.attempt(
        `another provider does not sign the victim in to an account created with ${provider}`,
        async () => {
          const { fakes, replicas } = current();
          const { email } = newUser(fakes[provider]);
          const thief = await signInWith(replicas.either(0), fakes[provider]);
          const trip = await beginAs(provider === 'oauth_a' ? fakes.oauth_b : fakes.oauth_a, { email });
          const seen = await mustFail(current(), 'account_exists', () => finish(trip));
          const { length } = await identitiesOf(replicas.database, thief.json.user.user_id);
          return seen ?? differs([length], [1]);
        },
      );
    }
  });

  cases(
    'a verified email that resembles that of the victim does not sign in to the victim’s account',
    async (ledger) => {
      const victim = await account();
      for (const [name, of] of NEARLY) {
        await ledger.attempt(name, async () => {
          const answer = await finish(await beginAs(current().fakes.oauth_a, { email: of(victim.email) }));
          const word = wordOf(answer);
          const isRefused = word === 'account_exists' || word === 'email_missing';
          // An email that differs may get its own account.
          const isAnother = answer.status === 200 && answer.json.user.user_id !== victim.user_id;
          return isRefused || isAnother ? checkUnchanged(victim) : `${answer.status} ${answer.text}`;
        });
      }
      await ledger.attempt('an address in capitals is that of the victim', async () => {
        const { json } = await finish(await beginAs(current().fakes.oauth_a, { email: victim.email.toUpperCase() }));
        const events = await auditOf(current().replicas.database, {
          actor_id: victim.user_id,
          action: ['auth.oauth.linked', 'auth.oauth.login'],
        });
        return differs(
          [json.user?.user_id, events.map(({ action, outcome }) => `${action} ${outcome}`)],
          [victim.user_id, ['auth.oauth.linked success', 'auth.oauth.login success']],
        );
      });
    },
  );

  fullCases('an identity of a disabled or deleted user is refused', async (ledger) => {
    for (const status of ['disabled', 'deleted'] as const) {
      await ledger.attempt(status, async () => {
        const { fakes, replicas } = current();
        newUser(fakes.oauth_a);
        const { json } = await signInWith(replicas.either(0), fakes.oauth_a);
        await setUser(replicas.database, json.user.user_id, { status });
        const trip = await beginFlow(current(), fakes.oauth_a);
        return mustFail(current(), 'account_refused', () => finish(trip));
      });
    }
  });
}
