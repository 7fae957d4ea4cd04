import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

/**
 * The range of ports for programs that listen a moment after the port was chosen. It is below the ports of outgoing
 * connections (Linux: from 32768), one of which could take the port in the meantime, and above the last port that
 * `fetch` and browsers refuse (10080).
 */
const FIRST_PORT = 10_200;
const LAST_PORT = 32_000;

/** Each process has its own block of ports. It reserves the block by listening on its first port until it exits. */
const BLOCK_SIZE = 200;
let block: Promise<number> | undefined;
let given = 0;

export const freePort = (): Promise<number> => freePorts(1);

export async function freePorts(count: number): Promise<number> {
  block ??= claimBlock();
  const base = await block;
  for (let tried = 0; tried < BLOCK_SIZE; tried += count) {
    if (given + count >= BLOCK_SIZE) given = 0;
    const first = base + 1 + given;
    given += count;
    if (await areFree(first, count)) return first;
  }
  throw new Error(`other programs listen on every port from ${base + 1} to ${base + BLOCK_SIZE - 1}`);
}

async function claimBlock(): Promise<number> {
  const blocks = (LAST_PORT - FIRST_PORT) / BLOCK_SIZE;
  const start = process.pid % blocks;
  for (let step = 0; step < blocks; step += 1) {
    const base = FIRST_PORT + ((start + step) % blocks) * BLOCK_SIZE;
    const claim = await listen(base);
    if (!claim) continue;
    claim.unref();
    return base;
  }
  throw new Error(`other programs listen on every ${BLOCK_SIZE}th port from ${FIRST_PORT} to ${LAST_PORT}`);
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
