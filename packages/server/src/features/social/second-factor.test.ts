import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { claimsOf, createBrowser } from '../../../test/browser.ts';
import { auditOf, countingRows, countSessions, findSession, setUser, trustBrowser } from '../../../test/records.ts';
import { challenge, enrol } from '../../../test/second-factor.ts';
import {
  arriveBy,
  identitiesOf,
  livingOf,
  newAccount,
  newUser,
  signInWith,
  startThirdParties,
  type ThirdParties,
} from './oauth-fixture.ts';

let third: ThirdParties;
beforeAll(async () => {
  third = await startThirdParties();
});
afterAll(() => third.close());

const google = () => third.fakes.oauth_a;
const signIn = () => signInWith(third.app, google());
const TABLES = ['sessions', 'identities', 'mails', 'audit_events', 'mfa_tokens'] as const;
const auditRowsOf = async (user_id: string) =>
  (await auditOf(third.app, { actor_id: user_id })).map(({ action, outcome, metadata }) => ({
    action,
    outcome,
    metadata,
  }));

describe('with a second factor', () => {
  it('with a second factor: mfa_required, no session and no cookies; the challenge leads to a session at aal2', async () => {
    const { app } = third;
    const registered = await enrol(app, await arriveBy(app, google()));
    app.clock.advance(60);
    const { result, rows } = await countingRows(app, TABLES, signIn);
    expect(result.json).toEqual({ status: 'mfa_required', mfa_token: expect.any(String), mfa_token_expires_in: 300 });
    expect(rows).toEqual({ sessions: 0, identities: 0, mails: 0, audit_events: 1, mfa_tokens: 1 });
    expect(result.set_cookies).toEqual([]);
    const [identity] = await identitiesOf(app, registered.user_id);
    expect(identity!.last_used_at).toEqual(app.clock.now());
    expect((await auditRowsOf(registered.user_id)).at(-1)).toEqual({
      action: 'auth.oauth.login',
      outcome: 'success',
      metadata: { provider: 'oauth_a', identity_id: identity!.id, mfa_pending: true },
    });

    const { status, json } = await challenge(app, result.json.mfa_token, { code: registered.app.code() });
    expect(status).toBe(200);
    expect(json.user).toMatchObject({
      user_id: registered.user_id,
      organization_id: registered.organization_id,
      auth_method: 'password_with_mfa',
      aal: 'aal2',
      mfa_verified_at: app.clock.now().toISOString(),
    });
    expect(claimsOf(json.access_token)).toMatchObject({ aal: 'aal2', auth_method: 'password_with_mfa' });
    expect(await findSession(app, json.user.session_family_id)).toMatchObject({ aal: 'aal2' });
  });

  it('a trusted browser is ignored', async () => {
    const { app } = third;
    const registered = await arriveBy(app, google());
    await setUser(app, registered.user_id, { mfa_enabled_at: app.clock.now() });
    const [name, value] = (await trustBrowser(app, registered.user_id)).split('=');
    const browser = createBrowser(app, new Map([[name!, value!]]));
    expect((await signInWith(app, google(), { browser })).json.status).toBe('mfa_required');
    expect(await countSessions(app, registered.user_id)).toBe(1);
    const trusted = app.deps.db.selectFrom('trusted_browsers').select('last_used_at');
    expect(await trusted.where('user_id', '=', registered.user_id).execute()).toEqual([{ last_used_at: null }]);
  });

  it('the first sign-in links the identity and sends a notice, but opens no session', async () => {
    const { app } = third;
    const account = await newAccount(app, { mfa_enabled_at: app.clock.now() });
    newUser(google(), { email: account.email });
    const { result, rows } = await countingRows(app, TABLES, signIn);
    expect(result.json.status).toBe('mfa_required');
    expect(rows).toEqual({ sessions: 0, identities: 1, mails: 1, audit_events: 2, mfa_tokens: 1 });
    const [identity] = await livingOf(app, account.user_id);
    const facts = { provider: 'oauth_a', identity_id: identity!.id, mfa_pending: true };
    expect(await auditRowsOf(account.user_id)).toEqual([
      { action: 'auth.oauth.linked', outcome: 'success', metadata: { provider: 'oauth_a' } },
      { action: 'auth.oauth.login', outcome: 'success', metadata: facts },
    ]);
    expect(await app.mailbox.take(account.email)).toHaveLength(1);
    // Later sign-ins also need the second factor.
    expect((await signIn()).json.status).toBe('mfa_required');
    expect(await app.mailbox.take(account.email)).toEqual([]);
  });
});

describe('audit and notices of a link by email', () => {
  it('linking by email writes one audit row and sends one mail; each sign-in writes another audit row', async () => {
    const { app } = third;
    const account = await newAccount(app);
    const { email } = newUser(google(), { email: account.email });
    for (let index = 0; index < 3; index++) await signIn();
    const [identity] = await identitiesOf(app, account.user_id);
    const auditRows = await auditOf(app, { actor_id: account.user_id });
    const { organization_id, user_id } = account;
    const login = {
      action: 'auth.oauth.login',
      organization_id,
      resource_type: 'user',
      resource_id: user_id,
      outcome: 'success',
      metadata: { provider: 'oauth_a', identity_id: identity!.id },
    };
    const linked = {
      action: 'auth.oauth.linked',
      organization_id,
      resource_type: 'identity',
      resource_id: identity!.id,
      outcome: 'success',
      metadata: { provider: 'oauth_a' },
    };
    expect(auditRows).toMatchObject([linked, login, login, login]);
    expect(JSON.stringify(auditRows)).not.toContain(email);
    expect(JSON.stringify(auditRows)).not.toContain(google().person.subject);
    const mails = await app.mailbox.take(account.email);
    expect(mails.map(({ subject }) => subject)).toEqual(['An account at Google was linked to your account']);
    expect(mails[0]!.text).toContain('An account at Google was linked to your account.');
  });

  it('the notice of a link is in German for a German user, with the name of the provider', async () => {
    const { app, fakes } = third;
    const account = await newAccount(app, { locale: 'de-AT' });
    newUser(fakes.oauth_b, { email: account.email });
    await signInWith(app, fakes.oauth_b);
    const [mail] = await app.mailbox.take(account.email);
    expect(mail!.subject).toBe('Sie können sich nun mit GitHub anmelden');
    expect(mail!.text).toContain('Ein GitHub-Konto wurde mit Ihrem Konto verknüpft.');
  });

  it('over the mail limit the identity is linked without a mail', async () => {
    const { app } = third;
    const account = await newAccount(app);
    newUser(google(), { email: account.email });
    const { limiter, config } = app.deps;
    for (let index = 0; index < 10; index++) {
      await limiter.hit(limiter.counter('mail notice', account.email, config.LIMIT_MAIL_PER_ACCOUNT));
    }
    const { result, rows } = await countingRows(app, TABLES, signIn);
    expect(result.status).toBe(200);
    expect(rows).toEqual({ sessions: 1, identities: 1, mails: 0, audit_events: 2, mfa_tokens: 0 });
  });

  it('a rejected sign-in does not count towards the mail limit', async () => {
    const { app } = third;
    const account = await newAccount(app, { email_verified_at: null });
    newUser(google(), { email: account.email });
    for (let index = 0; index < 11; index++) await signIn();
    await setUser(app, account.user_id, { email_verified_at: app.clock.now() });
    await signIn();
    expect(await app.mailbox.take(account.email)).toHaveLength(1);
  });
});
