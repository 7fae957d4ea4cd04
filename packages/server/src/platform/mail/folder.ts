import { chmod, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../clock.ts';
import { checkMessage, MailError, type MailMessage, type MailTransport } from './message.ts';

export interface StoredMail extends MailMessage {
  /** RFC 3339. */
  readonly sent_at: string;
}

interface MailFolder {
  readonly transport: MailTransport;
  /** Returns the stored mails, newest first. */
  list(): Promise<StoredMail[]>;
  find(id: string): Promise<StoredMail | undefined>;
}

interface MailFolderOptions {
  path: string;
  clock: Clock;
  /** The number of mails to keep; the oldest are deleted. */
  keep?: number;
}

const KEEP = 1_000;
const NAME = /^\d{8}T\d{9}Z-[0-9a-f-]{36}\.json$/;

const PREFIX_LENGTH = '20260101T000000000Z-'.length;

/** Compares strings: a second regular expression per name is slow with a thousand names. */
const hasId = (name: string, id: string): boolean => name.slice(PREFIX_LENGTH) === `${id}.json`;

/** For development: stores each mail as a JSON file, named by time and id so that names sort by time. */
export function openMailFolder({ path, clock, keep = KEEP }: MailFolderOptions): MailFolder {
  const listNames = async (): Promise<string[]> => {
    try {
      return (await readdir(path)).filter((name) => NAME.test(name)).sort();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw error;
    }
  };

  /** Returns undefined if the file was just deleted or is no longer valid JSON. */
  const read = async (name: string): Promise<StoredMail | undefined> => {
    try {
      return JSON.parse(await readFile(join(path, name), 'utf8')) as StoredMail;
    } catch {
      return undefined;
    }
  };

  const write = async (message: MailMessage): Promise<void> => {
    await mkdir(path, { recursive: true, mode: 0o700 });
    const names = await listNames();
    if (names.some((name) => hasId(name, message.id))) return;
    const { id, to, from, subject, text, html } = message;
    const sent_at = clock.now().toISOString();
    const name = `${sent_at.replace(/[-:.]/g, '')}-${id}.json`;
    const draft = join(path, `.${id}.${process.pid}.tmp`);
    await writeFile(draft, `${JSON.stringify({ id, to, from, subject, text, html, sent_at }, null, 2)}\n`, {
      mode: 0o600,
    });
    // The `mode` of `writeFile` does not apply to a draft that a crash left behind.
    await chmod(draft, 0o600);
    await rename(draft, join(path, name));
    const surplus = names.slice(0, Math.max(0, names.length + 1 - keep));
    await Promise.all(surplus.map((old) => rm(join(path, old), { force: true })));
  };

  return {
    transport: {
      name: 'folder',
      async send(message) {
        checkMessage(message);
        await write(message).catch(() => {
          throw new MailError({ reason: 'folder_not_writable', permanent: false });
        });
      },
      async close() {},
    },
    async list() {
      const mails = await Promise.all((await listNames()).reverse().map(read));
      return mails.filter((mail) => mail !== undefined);
    },
    async find(id) {
      const name = (await listNames()).find((candidate) => hasId(candidate, id.toLowerCase()));
      return name === undefined ? undefined : read(name);
    },
  };
}
