import { type SpawnOptions, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import type { Owner } from './guarded-file.ts';

/** The user that PostgreSQL runs as. uid and gid own its files as seen from here. */
export interface Identity extends Owner {
  kind: 'self' | 'namespace' | 'account';
}

/** Child processes must not inherit our secrets, nor PG… variables that configure PostgreSQL. */
export const ENVIRONMENT = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  LC_ALL: 'C',
  TZ: 'UTC',
};
const ACCOUNTS = ['postgres', 'nobody'];

export const NAMESPACE: Identity = { kind: 'namespace', uid: 0, gid: 0 };

export function ownIdentity(): Identity {
  return { kind: 'self', uid: process.getuid?.() ?? -1, gid: process.getgid?.() ?? -1 };
}

interface Command {
  command: string;
  args: string[];
  options: SpawnOptions;
}

export function commandAs(identity: Identity, command: string, args: string[]): Command {
  // The current folder may not be accessible to that account.
  const options: SpawnOptions = { cwd: '/', env: ENVIRONMENT };
  if (identity.kind === 'self') return { command, args, options };
  if (identity.kind === 'account') {
    return { command, args, options: { ...options, uid: identity.uid, gid: identity.gid } };
  }
  // unshare execs the command, so the pid is PostgreSQL's. Inside, root appears as nobody, but owns its files.
  return { command: 'unshare', args: ['--user', '--map-user=65534', '--', command, ...args], options };
}

interface Output {
  code: number | null;
  text: string;
}

/** Runs a program as this user. If aborted, kills it with all its children and waits for the end. */
export async function runAs(
  identity: Identity,
  program: string,
  programArgs: string[],
  signal?: AbortSignal,
): Promise<Output> {
  const { command, args, options } = commandAs(identity, program, programArgs);
  signal?.throwIfAborted();
  return new Promise((resolve) => {
    // A separate process group, so that children can be killed with it.
    const detached = signal !== undefined;
    const child = spawn(command, args, { ...options, detached, stdio: ['ignore', 'pipe', 'pipe'] });
    const kill = () => {
      try {
        if (child.pid) process.kill(-child.pid, 'SIGKILL');
      } catch {
        // The process has already ended.
      }
    };
    signal?.addEventListener('abort', kill);
    child.once('exit', () => signal?.removeEventListener('abort', kill));
    let text = '';
    const collect = (chunk: Buffer) => {
      text += chunk.toString('utf8');
    };
    child.stdout?.on('data', collect);
    child.stderr?.on('data', collect);
    child.once('error', (error) => resolve({ code: null, text: error.message }));
    child.once('close', (code) => resolve({ code, text }));
  });
}

/** Whether processes can run as this identity, enter these folders and execute these programs. */
export async function canReach(identity: Identity, ...paths: string[]): Promise<boolean> {
  if (identity.kind === 'self') return true;
  const script = 'for path; do test -x "$path" || exit 1; done';
  return (await runAs(identity, '/bin/sh', ['-c', script, 'sh', ...paths])).code === 0;
}

export async function listAccounts(): Promise<Identity[]> {
  const passwd = await readFile('/etc/passwd', 'utf8').catch(() => '');
  const rows = passwd.split('\n').map((line) => line.split(':'));
  return ACCOUNTS.flatMap((name) => {
    const row = rows.find((fields) => fields[0] === name);
    const uid = Number(row?.[2]);
    const gid = Number(row?.[3]);
    return uid > 0 && gid > 0 ? [{ kind: 'account' as const, uid, gid }] : [];
  });
}
