import { sql } from 'kysely';
import type { Browser } from '../../server/test/browser.ts';
import type { TestDatabase } from '../../server/test/database.ts';
import { enterAs } from './enter-as.ts';
import type { openPages, Visit, VisitOptions } from './pages.ts';

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

/** Makes a session an hour older. The service must not have cached the session since it was opened or stepped up. */
export const ageSession = ({ db }: TestDatabase, id: string) =>
  sql`update sessions set auth_time = auth_time - interval '1 hour', mfa_verified_at = mfa_verified_at - interval '1 hour'
      where id = ${id}`.execute(db);

/** Returns the width of the page: if it exceeds the screen, the page scrolls sideways. */
export const widthOf = ({ page }: Visit) => page.evaluate('document.documentElement.scrollWidth');
