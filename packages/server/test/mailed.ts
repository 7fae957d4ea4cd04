import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** The code in a mail, and the token of a link to this page. */
export const CODE = /^ {4}(\d{6})$/m;
export const linkTo = (page: string) => new RegExp(`/${page}\\?token=([\\w-]+)$`, 'm');

/** What the mail to this address that has it carries, once a server in a process of its own has sent it to its folder. */
export async function mailed({ folder }: { folder: string }, email: string, pattern: RegExp): Promise<string> {
  const seen = new Set<string>();
  for (const end = performance.now() + 10_000; performance.now() < end; await sleep(20)) {
    for (const name of readdirSync(join(folder, 'mail')).filter((file) => file.endsWith('.json') && !seen.has(file))) {
      seen.add(name);
      const { to, text } = JSON.parse(readFileSync(join(folder, 'mail', name), 'utf8'));
      const found = to === email ? pattern.exec(text)?.[1] : undefined;
      if (found) return found;
    }
  }
  throw new Error(`no mail to ${email} matches ${pattern}`);
}
