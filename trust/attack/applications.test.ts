import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createBrowser } from '../../packages/server/test/browser.ts';
import { suspendOrganization } from '../../packages/server/test/records.ts';
import { colleague, founder, insertMembership, updateMembership } from '../../packages/server/test/team.ts';
import { rounds } from '../effort.ts';
import { cases } from '../ledger.ts';
import { CALLBACK, ISSUER, interactionIn, openStage, type Params, type Stage } from './applications-fixture.ts';
import { BAD_REQUESTS, LOOPBACK_URIS, REDIRECT_URIS } from './applications-requests-fixture.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.app.close());

/** Fails unless the response is a page of the service that redirects nowhere. */
const staysHere = ({ status, headers, text }: Awaited<ReturnType<Stage['authorize']>>): string | undefined => {
  if (headers.location !== undefined) return `redirected to ${headers.location}`;
  if (status !== 400) return `answered ${status}`;
  if (!String(headers['content-type']).startsWith('text/html')) return `is ${headers['content-type']}`;
  return text.includes('<script>alert') || /http-equiv=.?refresh/i.test(text)
    ? 'the page repeats the address'
    : undefined;
};

/** Fails unless the response takes this error to the application, with state and issuer, and without a code. */
const reports = (location: unknown, error: string, state: string | null = 'the state'): string | undefined => {
  const url = new URL(String(location), ISSUER);
  const { searchParams: found } = url;
  if (url.origin + url.pathname !== CALLBACK) return `went to ${url}`;
  if (found.get('error') !== error) return `error ${found.get('error')} in ${url}`;
  if (found.get('state') !== state) return `state ${found.get('state')}`;
  if (found.get('iss') !== ISSUER) return `iss ${found.get('iss')}`;
  return found.has('code') || url.hash !== '' ? `has more: ${url}` : undefined;
};

describe('authorization requests', () => {
  cases('a redirect URI that differs from the registered one gets an error page, not a redirect', async (ledger) => {
    for (const redirect_uri of REDIRECT_URIS) {
      await ledger.attempt(`${JSON.stringify(redirect_uri)}`, async () =>
        staysHere(await stage.authorize(stage.user.browser, stage.web, { redirect_uri })),
      );
    }
    for (const redirect_uri of LOOPBACK_URIS) {
      await ledger.attempt(`native ${redirect_uri}`, async () =>
        staysHere(await stage.authorize(stage.user.browser, stage.native, { redirect_uri })),
      );
    }
    await ledger.attempt('two redirect URIs, the second one registered', async () =>
      staysHere(
        await stage.authorize(stage.user.browser, stage.web, { redirect_uri: ['https://evil.example/', CALLBACK] }),
      ),
    );
    await ledger.attempt('a loopback URI of a web application on another port', async () => {
      const local = await stage.register({ kind: 'web', redirect_uris: ['http://localhost/callback'] });
      return staysHere(
        await stage.authorize(stage.user.browser, local, { redirect_uri: 'http://localhost:8081/callback' }),
      );
    });
  });

  it('a native application may use each port of its loopback redirect URI', async () => {
    const redirect_uri = 'http://127.0.0.1:51234/callback';
    const url = await stage.complete(stage.user, stage.native, { redirect_uri });
    expect(url.href).toMatch(/^http:\/\/127\.0\.0\.1:51234\/callback\?code=/);
  });

  cases('an unknown client gets an error page, not a redirect', async (ledger) => {
    const disabled = await stage.register({ kind: 'web', redirect_uris: [CALLBACK] });
    await stage.admin.patch(`/admin/applications/${disabled.id}`, { enabled: false });
    const deleted = await stage.register({ kind: 'web', redirect_uris: [CALLBACK] });
    await stage.admin.delete(`/admin/applications/${deleted.id}`);
    const { client_id } = stage.web;
    const ids: readonly [string, Params][] = [
      ['none', { client_id: undefined }],
      ['empty', { client_id: '' }],
      ['unknown', { client_id: 'app_unknown' }],
      ['its id instead of its client_id', { client_id: stage.web.id }],
      ['upper case', { client_id: client_id.toUpperCase() }],
      ['a space after it', { client_id: `${client_id} ` }],
      ['a NUL after it', { client_id: `${client_id}\u0000` }],
      ['twice', { client_id: [client_id, client_id] }],
      ['two applications', { client_id: [stage.other.client_id, client_id] }],
      ['another application with this redirect URI', { client_id: stage.other.client_id }],
      ['a disabled application', { client_id: disabled.client_id }],
      ['a deleted application', { client_id: deleted.client_id }],
      ['__proto__', { client_id: '__proto__' }],
    ];
    for (const [name, params] of ids) {
      await ledger.attempt(name, async () => staysHere(await stage.authorize(stage.user.browser, stage.web, params)));
    }
  });

  cases('a request that is not allowed is reported to the application without a code', async (ledger) => {
    for (const [name, params, error] of BAD_REQUESTS) {
      await ledger.attempt(name, async () =>
        reports((await stage.authorize(stage.user.browser, stage.web, params)).headers.location, error),
      );
    }
    await ledger.attempt('with two states, none of which is repeated', async () =>
      reports(
        (await stage.authorize(stage.user.browser, stage.web, { state: ['a', 'b'] })).headers.location,
        'invalid_request',
        null,
      ),
    );
    await ledger.attempt('by POST with a body that is a form', async () => {
      const answer = await stage.ask(stage.user.browser, '/oauth/authorize', {
        method: 'POST',
        form: {
          client_id: stage.web.client_id,
          redirect_uri: CALLBACK,
          response_type: 'token',
          state: 'the state',
        },
      });
      return reports(answer.headers.location, 'unsupported_response_type');
    });
  });

  cases('prompt=none shows no page, and its error reveals only what is missing', async (ledger) => {
    const none = { prompt: 'none' };
    const locationFor = async (browser: Parameters<Stage['authorize']>[0], params: Params) =>
      (await stage.authorize(browser, stage.web, { ...none, ...params })).headers.location;
    const newUser = await founder(stage.app);
    await ledger.attempt('without a session', async () =>
      reports(await locationFor(createBrowser(stage.app), {}), 'login_required'),
    );
    await ledger.attempt('with a forged access cookie', async () =>
      reports(await locationFor(createBrowser(stage.app, new Map([['service_at', 'x.y.z']])), {}), 'login_required'),
    );
    await ledger.attempt('without consent', async () =>
      reports(await locationFor(newUser.browser, {}), 'consent_required'),
    );
    const user = await founder(stage.app);
    await stage.complete(user, stage.web);
    await ledger.attempt('with consent for less', async () =>
      reports(await locationFor(user.browser, { scope: 'openid email profile' }), 'consent_required'),
    );
    await ledger.attempt('with acr_values=aal2 and no second factor', async () =>
      reports(await locationFor(user.browser, { acr_values: 'aal2' }), 'interaction_required'),
    );
    stage.app.clock.advance(30);
    await ledger.attempt('with max_age=0', async () =>
      reports(await locationFor(user.browser, { max_age: '0' }), 'login_required'),
    );
    await ledger.attempt('with max_age shorter than the age of the session', async () =>
      reports(await locationFor(user.browser, { max_age: '29' }), 'login_required'),
    );
  });
});

describe('interactions', () => {
  const begin = async (params: Params = {}) => {
    const user = await founder(stage.app);
    const id = interactionIn(await stage.authorize(user.browser, stage.web, params));
    if (!id) throw new Error('there is no interaction');
    const path = `/auth/oauth-interactions/${id}`;
    return { user, path, decide: (decision: unknown) => user.browser.post(path, decision) };
  };
  const is = ({ status }: { status: number }, ...expected: number[]) =>
    expected.includes(status) ? undefined : `answered ${status}`;
  const ALLOW = { decision: 'allow' };

  cases('an interaction is decided once, by its user, in the same browser and with CSRF', async (ledger) => {
    const { user, path, decide } = await begin();
    const other = await founder(stage.app);
    await ledger.attempt('without the CSRF header', async () =>
      is(await user.browser.post(path, ALLOW, { csrf: false }), 403),
    );
    await ledger.attempt('with the CSRF token of another session', async () => {
      const headers = { 'x-service-csrf': other.browser.jar.get('service_csrf')! };
      return is(await user.browser.post(path, ALLOW, { csrf: false, headers }), 403);
    });
    await ledger.attempt('with the access token as Bearer, without cookies', async () => {
      const headers = { authorization: `Bearer ${user.access_token}` };
      return is(await user.browser.post(path, ALLOW, { cookies: false, csrf: false, headers }), 401, 403, 404);
    });
    await ledger.attempt('without any cookie', async () => is(await createBrowser(stage.app).get(path), 401, 404));
    await ledger.attempt('in another browser of the same user', async () => {
      const session = ['service_at', 'service_csrf'].map((name) => [name, user.browser.jar.get(name)!] as const);
      const second = createBrowser(stage.app, new Map(session));
      return is(await second.get(path), 404) ?? is(await second.post(path, ALLOW), 404);
    });
    await ledger.attempt(
      'by another user in another browser',
      async () => is(await other.browser.get(path), 404) ?? is(await other.browser.post(path, ALLOW), 404),
    );
    await ledger.attempt('by another user in the same browser', async () => {
      const jar = new Map([...user.browser.jar, ...other.browser.jar]);
      const taken = createBrowser(stage.app, jar);
      return is(await taken.get(path), 404) ?? is(await taken.post(path, ALLOW), 404);
    });
    for (const body of [
      {},
      { decision: 'yes' },
      { decision: true },
      { decision: ['allow'] },
      '[]',
      'null',
      undefined,
    ]) {
      await ledger.attempt(`with the body ${JSON.stringify(body)}`, async () => is(await decide(body), 400));
    }
    await ledger.attempt('with an organization_id that is no id', async () =>
      is(await decide({ ...ALLOW, organization_id: 'x' }), 400),
    );
    await ledger.attempt('a second time', async () => is(await decide(ALLOW), 200) ?? is(await decide(ALLOW), 409));
    await ledger.attempt('to deny after allowing', async () => is(await decide({ decision: 'deny' }), 409));
    await ledger.attempt('many times at once', async () => {
      const fresh = await begin();
      const answers = await Promise.all(Array.from({ length: rounds(10, 50) }, () => fresh.decide(ALLOW)));
      const good = answers.filter(({ status }) => status === 200).length;
      return good === 1 ? undefined : `${good} decisions were accepted`;
    });
    await ledger.attempt('after ten minutes', async () => {
      const late = await begin();
      stage.app.clock.advance(601);
      return is(await late.decide(ALLOW), 404);
    });
    await ledger.attempt('an id that does not exist', async () =>
      is(await user.browser.get('/auth/oauth-interactions/00000000-0000-7000-8000-000000000000'), 404),
    );
  });

  cases('a consent issues no code to a user who may no longer use the application', async (ledger) => {
    const denied = async (
      { decide }: Awaited<ReturnType<typeof begin>>,
      body: object = ALLOW,
    ): Promise<string | undefined> => {
      const { status, json } = await decide(body);
      if (status === 401 || status === 403 || status === 404) return undefined;
      return status === 200 ? reports(json.redirect_to, 'access_denied') : `answered ${status}`;
    };
    await ledger.attempt('deny', async () => {
      const { status, json } = await (await begin()).decide({ decision: 'deny' });
      return status === 200 ? reports(json.redirect_to, 'access_denied') : `answered ${status}`;
    });
    await ledger.attempt('a member whose membership has ended', async () => {
      const begun = await begin();
      await updateMembership(stage.app, begun.user, { revoked_at: stage.app.clock.now() });
      return denied(begun);
    });
    await ledger.attempt('a member of an organization that was suspended', async () => {
      const begun = await begin();
      await suspendOrganization(stage.app, begun.user.organization_id);
      return denied(begun);
    });
    await ledger.attempt('an organization of which the user is not a member', async () =>
      denied(await begin(), { ...ALLOW, organization_id: stage.user.organization_id }),
    );
    await ledger.attempt('another organization than the application asked for', async () => {
      const user = await founder(stage.app);
      const second = await founder(stage.app);
      await insertMembership(stage.app, { user_id: user.user_id, organization_id: second.organization_id });
      const id = interactionIn(await stage.authorize(user.browser, stage.web, { organization: user.organization_id }));
      const { status, json } = await user.browser.post(`/auth/oauth-interactions/${id}`, {
        ...ALLOW,
        organization_id: second.organization_id,
      });
      return status === 200 ? reports(json.redirect_to, 'access_denied') : undefined;
    });
    await ledger.attempt('an application of another organization', async () => {
      const owner = await founder(stage.app);
      const own = await stage.register({
        kind: 'web',
        redirect_uris: [CALLBACK],
        organization_id: owner.organization_id,
      });
      return reports((await stage.authorize(stage.user.browser, own)).headers.location, 'access_denied');
    });
    await ledger.attempt('an application that was disabled meanwhile', async () => {
      const user = await founder(stage.app);
      const shortLived = await stage.register({ kind: 'web', redirect_uris: [CALLBACK] });
      const id = interactionIn(await stage.authorize(user.browser, shortLived));
      await stage.admin.patch(`/admin/applications/${shortLived.id}`, { enabled: false });
      const { status } = await user.browser.post(`/auth/oauth-interactions/${id}`, ALLOW);
      return status === 404 ? undefined : `answered ${status}`;
    });
  });

  cases('a request for a newer or stronger sign-in is not satisfied by the session', async (ledger) => {
    const user = await colleague(stage.app, await founder(stage.app));
    await stage.complete(user, stage.web);
    stage.app.clock.advance(60);
    const needs = async (browser: typeof user.browser, params: Params, kind: string, allowed = true) => {
      const id = interactionIn(await stage.authorize(browser, stage.web, params));
      const { json } = await browser.get(`/auth/oauth-interactions/${id}`);
      if (json.kind !== kind) return `asks for ${json.kind}`;
      if (!allowed) return undefined;
      const { status, json: decided } = await browser.post(`/auth/oauth-interactions/${id}`, ALLOW);
      return status === 200 && String(decided.redirect_to).includes('code=') ? 'a code was issued' : undefined;
    };
    await ledger.attempt('prompt=login', () => needs(user.browser, { prompt: 'login' }, 'sign_in'));
    await ledger.attempt('max_age=0', () => needs(user.browser, { max_age: '0' }, 'sign_in'));
    await ledger.attempt('max_age=59', () => needs(user.browser, { max_age: '59' }, 'sign_in'));
    await ledger.attempt('prompt=consent', () => needs(user.browser, { prompt: 'consent' }, 'consent', false));
    await ledger.attempt('acr_values=aal2', () => needs(user.browser, { acr_values: 'aal2' }, 'mfa'));
    await ledger.attempt('acr_values=aal2 among others', () =>
      needs(user.browser, { acr_values: 'unknown aal2 aal1' }, 'mfa'),
    );
  });

  it('the consent page and the page of an unknown client cannot be framed', async () => {
    const pages = [
      await stage.ask(stage.user.browser, '/consent?interaction=x'),
      await stage.authorize(stage.user.browser, stage.web, { client_id: 'unknown' }),
    ];
    for (const { headers } of pages) {
      expect(String(headers['content-security-policy'])).toContain("frame-ancestors 'none'");
    }
  });
});
