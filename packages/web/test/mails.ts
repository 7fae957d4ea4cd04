import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { vi } from 'vitest';
import { TIMEOUT_MS } from '../../server/test/timeouts.ts';

interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly sent_at: string;
}

export function openMailFolder(place: { folder: string }) {
  const all = (): Mail[] => {
    const path = join(place.folder, 'mail');
    const names = readdirSync(path).filter((name) => name.endsWith('.json'));
    const mails = names.map((name) => JSON.parse(readFileSync(join(path, name), 'utf8')) as Mail);
    return mails.sort((a, b) => a.sent_at.localeCompare(b.sent_at));
  };
  return {
    all,
    find: (to: string, pattern: RegExp): Promise<RegExpExecArray> =>
      vi.waitFor(
        () => {
          const found = all()
            .reverse()
            .flatMap((mail) => (mail.to.includes(to) ? (pattern.exec(mail.text) ?? []) : []));
          if (found.length === 0) throw new Error(`no mail to ${to} with ${pattern}`);
          return found as unknown as RegExpExecArray;
        },
        { timeout: TIMEOUT_MS, interval: 20 },
      ),
  };
}
