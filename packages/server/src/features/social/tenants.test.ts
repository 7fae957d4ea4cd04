import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { newEmail, registerUser } from '../../../test/browser.ts';
import { PERSONAL_TENANT, WORK_TENANT } from '../../../test/fake-providers/microsoft.ts';
import { setUser } from '../../../test/records.ts';
import { admits, microsoft } from '../../domain/provider-settings/microsoft.ts';
import {
  authorizeAtProvider,
  expectFailure,
  expectRefused,
  newUser,
  saveProvider,
  signInWith,
  startAnother,
  startThirdParties,
  type ThirdParties,
} from './oauth-fixture.ts';

const OTHER_TENANT = '0f0e0d0c-0b0a-4908-8706-050403020100';

let third: ThirdParties;
beforeAll(async () => {
  third = await startThirdParties();
});
afterAll(() => third.close());
afterEach(() => {
  third.fakes.oauth_c.claims = undefined;
});

const configure = (tenant: string | undefined) =>
  saveProvider(third.app, 'oauth_c', {
    public_config: { client_id: 'oauth_c-client', ...(tenant !== undefined && { tenant }) },
  });

type Kind = 'work' | 'personal' | 'other';
const TENANTS: Record<Kind, string> = { work: WORK_TENANT, personal: PERSONAL_TENANT, other: OTHER_TENANT };

describe('the tenant of a Microsoft account', () => {
  const admitted: [string | undefined, readonly Kind[]][] = [
    [undefined, ['work', 'personal', 'other']],
    ['common', ['work', 'personal', 'other']],
    ['organizations', ['work', 'other']],
    ['consumers', ['personal']],
    [WORK_TENANT, ['work']],
    [WORK_TENANT.toUpperCase(), ['work']],
    [PERSONAL_TENANT, ['personal']],
  ];
  it.each(admitted)('the setting %s accepts tokens of %j and of no other tenant', async (tenant, kinds) => {
    await configure(tenant);
    const fake = third.fakes.oauth_c;
    for (const kind of Object.keys(TENANTS) as Kind[]) {
      newUser(fake, { tenant: TENANTS[kind] });
      if (kinds.includes(kind)) expect((await signInWith(third.app, fake)).status, kind).toBe(200);
      else await expectRefused(third.app, await authorizeAtProvider(third.app, fake), 'provider_error');
    }
    const path = fake.requests.at(-1)!.path;
    expect(path.split('/')[1]).toBe(tenant ?? 'common');
  });

  it.each(['common', 'organizations', 'consumers', WORK_TENANT])(
    'with setting %s a token must name its tenant as a GUID',
    async (tenant) => {
      await configure(tenant);
      const fake = third.fakes.oauth_c;
      const home = tenant === 'consumers' ? PERSONAL_TENANT : WORK_TENANT;
      newUser(fake, { tenant: home });
      const upper = home.toUpperCase();
      const odd = [
        undefined,
        null,
        '',
        'common',
        'organizations',
        '{tenantid}',
        [home],
        7,
        `${home}/..`,
        ` ${home}`,
        upper,
      ];
      for (const tid of odd) {
        const iss = `${fake.url}/${String(tid)}/v2.0`;
        // Claims as Microsoft issues them for this tenant.
        fake.claims = { tid, iss };
        await expectRefused(third.app, await authorizeAtProvider(third.app, fake), 'provider_error');
      }
      fake.claims = undefined;
      expect((await signInWith(third.app, fake)).status).toBe(200);
    },
  );

  it('a token whose issuer is not that of its tenant is rejected', async () => {
    await configure('common');
    const fake = third.fakes.oauth_c;
    newUser(fake, { tenant: WORK_TENANT });
    const wrong = [
      `${fake.url}/${OTHER_TENANT}/v2.0`,
      `${fake.url}/{tenantid}/v2.0`,
      `${fake.url}/common/v2.0`,
      `${fake.url}/${WORK_TENANT}/v2.0/`,
      `${fake.url}/${WORK_TENANT}/v1.0`,
      `https://login.microsoftonline.com/${WORK_TENANT}/v2.0`,
      `https://sts.windows.net/${WORK_TENANT}/`,
      fake.url,
      undefined,
    ];
    for (const iss of wrong) {
      fake.claims = { iss };
      await expectRefused(third.app, await authorizeAtProvider(third.app, fake), 'provider_error');
    }
  });

  it('a key that is published for another issuer is rejected', async () => {
    await configure('common');
    const fake = third.fakes.oauth_c;
    newUser(fake, { tenant: WORK_TENANT });
    let issuer: unknown;
    // Serves the keys of the fake with another `issuer`.
    const server = createServer(async (_request, response) => {
      const answer = await fetch(fake.environment.OAUTH_C_JWKS_URL!.replace('{tenant}', 'common'));
      const { keys } = (await answer.json()) as { keys: object[] };
      response.end(JSON.stringify({ keys: keys.map((key) => ({ ...key, issuer })) }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const OAUTH_C_JWKS_URL = `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`;
    const app = await startAnother(third, { OAUTH_C_JWKS_URL });
    const signInBy = async (named: unknown) => {
      issuer = named;
      app.clock.advance(601);
      return signInWith(app, fake);
    };
    const others = [`${fake.url}/${PERSONAL_TENANT}/v2.0`, 'https://login.microsoftonline.com/{tenantid}/v2.0', '', 7];
    for (const other of others) expectFailure(await signInBy(other), 'provider_error');
    for (const own of [`${fake.url}/${WORK_TENANT}/v2.0`, `${fake.url}/{tenantid}/v2.0`, undefined])
      expect((await signInBy(own)).status).toBe(200);
    await app.close();
    server.close();
  });

  it('the same subject in two tenants is two users', async () => {
    await configure('common');
    const fake = third.fakes.oauth_c;
    const { subject } = newUser(fake, { tenant: WORK_TENANT });
    const first = await signInWith(third.app, fake);
    newUser(fake, { subject, tenant: OTHER_TENANT });
    const second = await signInWith(third.app, fake);
    expect(second.status).toBe(200);
    expect(second.json.user.user_id).not.toBe(first.json.user.user_id);
  });

  it('`admits` accepts neither a partial tenant id nor a keyword as a tenant', () => {
    expect(admits(WORK_TENANT, WORK_TENANT.slice(0, -1))).toBe(false);
    expect(admits('', '')).toBe(false);
    expect(admits('common', 'common')).toBe(false);
    expect(admits('example.com', WORK_TENANT)).toBe(false);
  });
});

describe('the issuer from OAUTH_C_ISSUER', () => {
  const signInAt = async (issuer: string, tenant: string) => {
    await configure('common');
    const fake = third.fakes.oauth_c;
    const app = await startAnother(third, { OAUTH_C_ISSUER: issuer });
    newUser(fake, { tenant });
    const answer = await signInWith(app, fake);
    if (answer.status === 200) {
      const { issuer: stored } = await app.deps.db
        .selectFrom('identities')
        .select('issuer')
        .where('user_id', '=', answer.json.user.user_id)
        .executeTakeFirstOrThrow();
      expect(stored).toBe(`${fake.url}/${tenant}/v2.0`);
    }
    await app.close();
    return answer;
  };

  it('if OAUTH_C_ISSUER is a bare host, the paths of Microsoft are appended', async () => {
    const { url } = third.fakes.oauth_c;
    expect((await signInAt(url, WORK_TENANT)).status).toBe(200);
    expect((await signInAt(`${url}/`, PERSONAL_TENANT)).status).toBe(200);
  });

  it('if OAUTH_C_ISSUER is for all tenants, it is replaced by the issuer of the token’s tenant', async () => {
    const { url } = third.fakes.oauth_c;
    expect((await signInAt(`${url}/common/v2.0`, WORK_TENANT)).status).toBe(200);
  });

  it.each([
    ['https://idp.example', 'https://idp.example/x', `https://idp.example/${WORK_TENANT}/v2.0`],
    ['https://idp.example/ms', 'https://idp.example/x', `https://idp.example/ms/${WORK_TENANT}/v2.0`],
    ['https://idp.example/ms/', 'https://idp.example/x', `https://idp.example/ms/${WORK_TENANT}/v2.0`],
    ['https://idp.example/ms', 'https://idp.example/ms', 'https://idp.example/ms'],
    ['https://idp.example/{tenantid}/x', 'https://idp.example/{tenantid}/x', `https://idp.example/${WORK_TENANT}/x`],
  ])('with OAUTH_C_ISSUER %s, the issuer for a token of %s must be %s', async (issuer, iss, expected) => {
    const claims = Buffer.from(JSON.stringify({ tid: WORK_TENANT, iss })).toString('base64url');
    const response = new Response(JSON.stringify({ id_token: `x.${claims}.x` }));
    expect(await microsoft.issuerOf(issuer, { public_config: { tenant: 'common' }, secret: '' }, response)).toBe(
      expected,
    );
  });

  it('if OAUTH_C_ISSUER names a tenant, it is used unchanged', async () => {
    const { url } = third.fakes.oauth_c;
    expect((await signInAt(`${url}/${WORK_TENANT}/v2.0`, WORK_TENANT)).status).toBe(200);
    expectFailure(await signInAt(`${url}/${WORK_TENANT}/v2.0`, OTHER_TENANT), 'provider_error');
  });
});

describe('xms_edov: whether the owner of the domain has verified the email', () => {
  /** Signs in with the email of a verified account, which is linked only if the provider has verified the email. */
  const signInAs = async (xms_edov: unknown, claims: Record<string, unknown> = {}) => {
    await configure('common');
    const account = await registerUser(third.app, { email: newEmail('edov') });
    await setUser(third.app, account.user_id, { email_verified_at: third.app.clock.now() });
    newUser(third.fakes.oauth_c, { email: account.email, xms_edov });
    third.fakes.oauth_c.claims = claims;
    return signInWith(third.app, third.fakes.oauth_c);
  };

  it.each([true, 'true', 1, '1'])('the email is verified if xms_edov is %j', async (xms_edov) => {
    expect((await signInAs(xms_edov)).status).toBe(200);
  });

  it.each([false, 'false', 0, '0', 2, 'yes', 'True', '', null, undefined, [true], { true: 1 }])(
    'the email is not verified if xms_edov is %j',
    async (xms_edov) => expectFailure(await signInAs(xms_edov), 'account_exists'),
  );

  it('email_verified of Microsoft is ignored', async () => {
    expectFailure(await signInAs(undefined, { email_verified: true, verified_primary_email: ['x'] }), 'account_exists');
  });

  it('a user name of Microsoft is not used as an email', async () => {
    await configure('common');
    newUser(third.fakes.oauth_c, { email: null });
    third.fakes.oauth_c.claims = { preferred_username: newEmail('upn'), upn: newEmail('upn') };
    expectFailure(await signInWith(third.app, third.fakes.oauth_c), 'email_missing');
  });
});
