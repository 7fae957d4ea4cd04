import pg from 'pg';
import type { Page } from 'playwright-core';
import { PASSWORD } from '../../server/test/browser.ts';
import type { openPages, Visit, VisitOptions } from './pages.ts';

type Site = ReturnType<typeof openPages>;

const BLANK = Buffer.from('<!doctype html><title>An account</title>').toString('base64');

/** Opens a browser in which the account pages, to which a sign-in leads, are blank: other files test them. */
export async function visitor(site: Site, options: VisitOptions = {}): Promise<Visit> {
  const visit = await site.visit(options);
  // Does not use `route`, which would intercept every request and disable the browser's cache.
  const cdp = await visit.context.newCDPSession(visit.page);
  const headers = [{ name: 'content-type', value: 'text/html' }];
  cdp.on('Fetch.requestPaused', ({ requestId }) => {
    cdp
      .send('Fetch.fulfillRequest', { requestId, responseCode: 200, responseHeaders: headers, body: BLANK })
      // The page has navigated or is closed.
      .catch(() => {});
  });
  await cdp.send('Fetch.enable', { patterns: [{ urlPattern: `${site.url}/account*`, resourceType: 'Document' }] });
  return visit;
}

/** Changes the database directly, for what no page and no endpoint does. */
export async function alter(site: Site, statement: string, values: readonly unknown[]): Promise<void> {
  const client = new pg.Client({ connectionString: site.environment.DATABASE_URL });
  await client.connect();
  try {
    await client.query(statement, [...values]);
  } finally {
    await client.end();
  }
}

export const setSuspended = (site: Site, organization_id: string, isSuspended: boolean): Promise<void> =>
  alter(site, 'update organizations set suspended_at = $2 where id = $1', [
    organization_id,
    isSuspended ? new Date() : null,
  ]);

export async function signIn(page: Page, email: string, password = PASSWORD): Promise<void> {
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

export const arriveAt = (page: Page, path: string): Promise<void> =>
  page.waitForURL((url) => url.pathname + url.search === path);

export const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name }).waitFor();

export async function sessionOf({ context }: Visit): Promise<
  | {
      user: { email: string; email_verified: boolean; auth_method: string; organization_id: string };
      capabilities: { role: string };
    }
  | undefined
> {
  const answer = await context.request.get('/v1/auth/session');
  return answer.ok() ? answer.json() : undefined;
}

const MAKE_PASSKEY = `(async () => {
  const headers = { 'x-service-csrf': /service_csrf=([^;]*)/.exec(document.cookie)[1], 'content-type': 'application/json' };
  const post = (step, body) =>
    fetch('/v1/users/me/passkeys/register/' + step, { method: 'POST', headers, body: JSON.stringify(body) }).then((answer) => answer.json());
  const { publicKey } = await post('begin', {});
  const credential = await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(publicKey) });
  return (await post('complete', { credential: credential.toJSON() })).id;
})()`;

/** Adds a passkey to the signed-in account in this browser, then removes the session from the browser. */
export async function leaveWithPasskey({ page, context }: Visit): Promise<void> {
  await page.goto('/signed-out');
  const id = await page.evaluate(MAKE_PASSKEY);
  if (typeof id !== 'string') throw new Error('no passkey was made');
  await context.clearCookies();
}
