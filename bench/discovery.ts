import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Bench } from './race.ts';

const root = join(import.meta.dirname, '..');
const PORTS = { limit: 18080, service: 18081 };

/** The documents that other services poll, against a bare Fastify route with a JSON answer. */
export async function discovery(): Promise<Bench> {
  const folder = mkdtempSync(join(tmpdir(), 'gh-bench-'));
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, LOG_LEVEL: 'warn' };
  const start = (args: string[], more: Record<string, string>): ChildProcess =>
    spawn(process.execPath, args, { cwd: folder, env: { ...env, ...more } as NodeJS.ProcessEnv, stdio: 'ignore' });
  const limit = start([join(root, 'bench/bare-fastify.mjs')], { PORT: String(PORTS.limit) });
  const service = start([join(root, 'packages/server/dist/main.mjs'), 'serve'], { PORT: String(PORTS.service) });
  await Promise.all([`http://127.0.0.1:${PORTS.limit}/`, `http://127.0.0.1:${PORTS.service}/readyz`].map(answers));
  const at = (path: string) => `http://127.0.0.1:${PORTS.service}${path}`;
  return {
    connections: 64,
    contestants: [
      { name: 'bare Fastify route', url: `http://127.0.0.1:${PORTS.limit}/` },
      { name: 'GET /healthz', url: at('/healthz') },
      { name: 'GET /.well-known/jwks.json', url: at('/.well-known/jwks.json') },
      { name: 'GET /.well-known/service-revocations.json', url: at('/.well-known/service-revocations.json') },
    ],
    async close() {
      await Promise.all([limit, service].map(end));
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
