import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export interface FoundMail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** Everything that was sent to the folder of these servers. */
export const mailsIn = (folder: string): FoundMail[] => {
  const place = join(folder, 'mail');
  return readdirSync(place, { withFileTypes: true })
    .filter(({ name }) => name.endsWith('.json'))
    .map(({ name }) => JSON.parse(readFileSync(join(place, name), 'utf8')));
};

/** What the mail to this address that has it carries, once it is there. */
export async function mailed(folder: string, email: string, pattern: RegExp): Promise<string> {
  for (const end = performance.now() + 20_000; performance.now() < end; await sleep(20)) {
    for (const { to, text } of mailsIn(folder)) {
      const found = to === email ? pattern.exec(text)?.[1] : undefined;
      if (found) return found;
    }
  }
  throw new Error(`no mail to ${email} matches ${pattern}`);
}

export const CODE = /^ {4}(\d{6})$/m;
export const linkTo = (page: 'reset-password' | 'verify-email' | 'accept-invitation'): RegExp =>
  new RegExp(`/${page}\\?token=([\\w-]+)$`, 'm');
