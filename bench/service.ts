import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const root = join(import.meta.dirname, '..');
const PORTS = { limit: 18080, service: 18081 };

export interface Running {
  /** A bare Fastify route with a small JSON answer. */
  readonly limit: string;
  readonly service: string;
  /** Where the service keeps its data. */
  readonly data: string;
  close(): Promise<void>;
}

/** The built service on an embedded PostgreSQL of its own, and the limit beside it. */
export async function startService(settings: Record<string, string> = {}): Promise<Running> {
  const folder = mkdtempSync(join(tmpdir(), 'gh-bench-'));
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, LOG_LEVEL: 'warn' };
  const start = (args: string[], more: Record<string, string>): ChildProcess =>
    spawn(process.execPath, args, { cwd: folder, env: { ...env, ...more } as NodeJS.ProcessEnv, stdio: 'ignore' });
  const children = [
    start([join(root, 'bench/bare-fastify.mjs')], { PORT: String(PORTS.limit) }),
    start([join(root, 'packages/server/dist/main.mjs'), 'serve'], { PORT: String(PORTS.service), ...settings }),
  ];
  const limit = `http://127.0.0.1:${PORTS.limit}/`;
  const service = `http://127.0.0.1:${PORTS.service}`;
  await Promise.all([limit, `${service}/readyz`].map(answers));
  return {
    limit,
    service,
    data: join(folder, 'data'),
    async close() {
      await Promise.all(children.map(end));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function answers(url: string): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt++) {
    const response = await fetch(url).catch(() => undefined);
    if (response?.ok) return;
    await sleep(50);
  }
  throw new Error(`${url} does not answer`);
}

function end(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.on('close', () => resolve());
    child.kill('SIGTERM');
  });
}
