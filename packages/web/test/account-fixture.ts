import { sql } from 'kysely';
import type { Browser } from '../../server/test/browser.ts';
import type { TestDatabase } from '../../server/test/database.ts';
import type { openPages, Visit, VisitOptions } from './pages.ts';
import { enterAs } from './people.ts';

/** Somebody who signed in over the API opens this page, in a browser of their own. */
export async function openAs(
  site: ReturnType<typeof openPages>,
  { browser }: { browser: Browser },
  path: string,
  options: VisitOptions = {},
): Promise<Visit> {
  const visit = await site.visit(options);
  await enterAs(visit, browser, site.url);
  await visit.page.goto(path);
  await visit.page.getByRole('heading', { level: 1 }).waitFor();
  return visit;
}

/** An hour passes for a session that the service has not looked at yet, or not since its second factor was given. */
export const ageSession = ({ db }: TestDatabase, id: string) =>
  sql`update sessions set auth_time = auth_time - interval '1 hour', mfa_verified_at = mfa_verified_at - interval '1 hour'
      where id = ${id}`.execute(db);

/** How wide the page is: no wider than the screen, or it scrolls sideways. */
export const widthOf = ({ page }: Visit) => page.evaluate('document.documentElement.scrollWidth');
