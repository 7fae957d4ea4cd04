import { statfs } from 'node:fs/promises';
import { type Finding, failed, ok, warning } from './finding.ts';

const CHECK = 'disk';
const MIB = 1024 * 1024;
const GIB = 1024 * MIB;
const FULL = 100 * MIB;
const SHORT = GIB;
const SHORT_PART = 0.1;

interface Room {
  readonly free: number;
  readonly total: number;
}

/** What an unprivileged process may still write there. */
export async function measureRoom(folder: string): Promise<Room> {
  const { bavail, blocks, bsize } = await statfs(folder);
  return { free: bavail * bsize, total: blocks * bsize };
}

/** Whether the embedded database can go on writing. That of another server is not to be seen from here: then its size alone is told. */
export function examineDisk(size: number, place?: { folder: string; room: Room }): Finding {
  const taken = `the database uses ${inUnits(size)}`;
  if (!place) return ok(CHECK, `${taken}; the free space of its server is unknown`);
  const { folder, room } = place;
  const left = `${inUnits(room.free)} of ${inUnits(room.total)} are free at ${folder}, ${taken}`;
  const fix = `Free disk space, or stop the service and move DATA_DIR to a larger disk. To see what uses space: du -sh ${folder}/*`;
  if (room.free < FULL) return failed(CHECK, `${left}: writes will soon fail`, fix);
  if (room.free < SHORT || room.free < room.total * SHORT_PART) return warning(CHECK, left, fix);
  return ok(CHECK, left);
}

const inUnits = (bytes: number): string =>
  bytes >= GIB ? `${(bytes / GIB).toFixed(1)} GiB` : `${Math.round(bytes / MIB)} MiB`;
