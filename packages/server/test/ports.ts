import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

/**
 * Ports for programs that begin to listen a moment after theirs was chosen. They lie below those that a system gives to the
 * near end of a connection (Linux: from 32768), else one of the many connections of a test run may sit on the port by then. And
 * above the last of those that `fetch` and browsers refuse to visit (10080).
 */
const FIRST = 10_200;
const LAST = 32_000;

/** A process has ports of its own: it listens on the first of its block for as long as it lives, which keeps the others out. */
const BLOCK = 200;
let block: Promise<number> | undefined;
let given = 0;

export const freePort = (): Promise<number> => freePorts(1);

/** The first of so many in a row. */
export async function freePorts(count: number): Promise<number> {
  block ??= claimBlock();
  const base = await block;
  for (let tried = 0; tried < BLOCK; tried += count) {
    if (given + count >= BLOCK) given = 0;
    const first = base + 1 + given;
    given += count;
    if (await areFree(first, count)) return first;
  }
  throw new Error(`other programs listen on every port from ${base + 1} to ${base + BLOCK - 1}`);
}

async function claimBlock(): Promise<number> {
  const blocks = (LAST - FIRST) / BLOCK;
  const start = process.pid % blocks;
  for (let step = 0; step < blocks; step += 1) {
    const base = FIRST + ((start + step) % blocks) * BLOCK;
    const claim = await listen(base);
    if (!claim) continue;
    claim.unref();
    return base;
  }
  throw new Error(`other programs listen on every ${BLOCK}th port from ${FIRST} to ${LAST}`);
}

async function areFree(first: number, count: number): Promise<boolean> {
  for (let port = first; port < first + count; port += 1) {
    const probe = await listen(port);
    if (!probe) return false;
    await once(probe.close(), 'close');
  }
  return true;
}

const listen = (port: number): Promise<Server | undefined> =>
  new Promise((resolve) => {
    const server = createServer();
    server.on('error', () => resolve(undefined));
    server.listen(port, '127.0.0.1', () => resolve(server));
  });
