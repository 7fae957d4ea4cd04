import type { Page } from 'playwright-core';
import { unpackDebian } from '../bench/debian.ts';
import type { Started } from '../bench/start-process.ts';
import { atEnd } from '../bench/tidy.ts';
import type { CurrentSession } from '../packages/client/src/index.ts';
import { startDnsServer } from '../packages/server/test/dns-server.ts';
import { PASSWORD, register, startWithOwner } from './account.ts';
import { CLIENT, glewlwyd, type IdentityProvider, oidcProvider } from './identity-providers.ts';
import type { Proof } from './proof.ts';
import { openBrowser, signIn } from './visitor.ts';

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

/** Opens a browser for another user. Blocks other hosts: providers' pages load fonts, which may not be reachable. */
async function newVisitor(page: Page): Promise<Page> {
  const context = await page.context().browser()!.newContext({ locale: 'en-GB' });
  context.setDefaultTimeout(60_000);
  await context.route(
    ({ hostname }) => !['127.0.0.1', 'localhost'].includes(hostname),
    (route) => route.abort(),
  );
  return context.newPage();
}

async function chooseSso(page: Page, url: string, { name }: IdentityProvider, email: string): Promise<void> {
  await page.goto(`${url}/sign-in`);
  await page.getByLabel('Email').fill(email);
  await page.keyboard.press('Tab');
  await page.getByRole('link', { name: `Continue with ${name}` }).click();
}

/** Waits for the page of the account. Throws with the address if the sign-in failed. */
async function arrive(page: Page, url: string): Promise<void> {
  await page.waitForURL((at) => at.href.startsWith(`${url}/account`) || at.searchParams.has('error'));
  if (!page.url().startsWith(`${url}/account`)) throw new Error(`the sign-in ended at ${page.url()}`);
}

const sessionOf = (page: Page) =>
  page.evaluate(async () => {
    const { user, capabilities } = (await (await fetch('/v1/auth/session')).json()) as CurrentSession;
    return [user.email, user.auth_method, user.organization_id, capabilities.role];
  });

export const proof: Proof = {
  about: 'members of two organizations sign in with oidc-provider and with Glewlwyd, through a browser',
  async run({ check }) {
    const providers = [await oidcProvider(), await glewlwyd(await unpackDebian('glewlwyd'))];
    const dns = await startDnsServer();
    atEnd(() => dns.close());
    const { url, ...platform } = await startWithOwner({
      DNS_SERVERS: dns.address,
      CONFIG_ENCRYPTION_KEY: Buffer.alloc(32, 'a key of the proof').toString('base64'),
    });
    const { page: first, faults } = await openBrowser();
    const running: [IdentityProvider, string, Started, string][] = [];

    for (const [index, provider] of providers.entries()) {
      const { name } = provider;
      const domain = `corp-${index}.example`;
      const member = `ada@${domain}`;
      const { client, organization_id, email } = await register(url, `owner-${index}@example.com`);
      const added = await client.domains.add(organization_id, { domain });
      dns.answers.set(added.record.name, [added.record.value]);
      await client.domains.verify(organization_id, added.id);
      const { id, callback_url } = await client.ssoConnections.create(organization_id, {
        name,
        issuer: provider.issuer,
        ...CLIENT,
        domains: [domain],
        create_members: true,
      });
      const started = await provider.start(callback_url, member);

      const owner = await newVisitor(first);
      owner.on('pageerror', (error) => owner.url().startsWith(url) && faults.push(error.message));
      await owner.goto(`${url}/sign-in`);
      await signIn(owner, email);
      await owner.waitForURL(`${url}/account**`);
      await owner.goto(`${url}/organization/sso/${id}`);
      await button(owner, 'Test connection').click();
      await provider.signIn(owner, member);
      await owner.waitForURL(`${url}/organization/sso/**`);
      const { last_test } = await client.ssoConnections.read(organization_id, id);
      check(`${name}: the test passes`, last_test?.ok ? 'passed' : last_test?.detail, 'passed');
      await button(owner, 'Activate').click();
      await owner.getByText(`Users with an address in ${domain} can sign in with it.`).waitFor();

      const visitor = await newVisitor(first);
      await chooseSso(visitor, url, provider, member);
      await provider.signIn(visitor, member);
      await arrive(visitor, url);
      check(`${name}: a new member is signed in`, await sessionOf(visitor), [member, 'sso', organization_id, 'member']);
      await visitor.goto(`${url}/sign-in`);
      await visitor.context().clearCookies({ name: /^service_/ });
      await chooseSso(visitor, url, provider, member);
      await provider.signInAgain(visitor);
      await arrive(visitor, url);
      const { items } = await client.members.list(organization_id);
      check(
        `${name}: the same member signs in again, with the session at the provider`,
        items.map((one) => one.email).sort(),
        [member, email].sort(),
      );
      running.push([provider, member, started, callback_url]);
    }

    const [[down, member, started, callback], [up, colleague]] = running as [(typeof running)[0], (typeof running)[0]];
    await started.close();
    const visitor = await newVisitor(first);
    // The service still has the metadata of the provider in its cache, so only the browser fails to reach the provider.
    const failed = visitor.waitForEvent('requestfailed', (request) => request.url().startsWith(down.issuer));
    await chooseSso(visitor, url, down, member);
    const state = new URL((await failed).url()).searchParams.get('state') ?? '';
    // Opens the callback as if the provider had failed after it issued a code.
    await visitor.goto(`${callback}?${new URLSearchParams({ code: 'issued', state, iss: down.issuer })}`);
    await visitor.getByRole('alert').getByText('identity provider did not respond').waitFor();
    check(`${down.name} is down: its members get an error page of the service`, visitor.url().startsWith(url), true);
    const other = await newVisitor(first);
    await chooseSso(other, url, up, colleague);
    await up.signIn(other, colleague);
    await arrive(other, url);
    check(`${down.name} is down: members of the other organization sign in`, (await sessionOf(other))[0], colleague);
    const answer = await platform.client.signIn.withPassword({ email: platform.email, password: PASSWORD });
    const { user } = await platform.client.session.current();
    check(`${down.name} is down: a password sign-in works`, ['user' in answer, user.email], [true, platform.email]);
    check('no page of the service reported an error', faults, []);
  },
};
