import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { TIMEOUT_MS } from './timeouts.ts';

export const CODE = /^ {4}(\d{6})$/m;
export const linkTo = (page: string) => new RegExp(`/${page}\\?token=([\\w-]+)$`, 'm');

interface FoundMail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** Returns all mails that the replicas wrote to their folder, which the first mail creates. */
export function mailsIn({ folder }: { folder: string }): FoundMail[] {
  const place = join(folder, 'mail');
  if (!existsSync(place)) return [];
  return readdirSync(place)
    .filter((name) => name.endsWith('.json'))
    .map((name) => JSON.parse(readFileSync(join(place, name), 'utf8')));
}

/** Waits for a mail to this address that matches, and returns the first group of the match. */
export async function mailed(place: { folder: string }, email: string, pattern: RegExp): Promise<string> {
  for (const end = performance.now() + TIMEOUT_MS; performance.now() < end; await sleep(20)) {
    for (const { to, text } of mailsIn(place)) {
      const found = to === email ? pattern.exec(text)?.[1] : undefined;
      if (found) return found;
    }
  }
  throw new Error(`no mail to ${email} matches ${pattern}`);
}
