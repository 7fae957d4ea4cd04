import { statfs } from 'node:fs/promises';
import { type Finding, failed, ok, warning } from './finding.ts';

const CHECK = 'disk';
const MIB = 1024 * 1024;
const GIB = 1024 * MIB;
const FULL_BYTES = 100 * MIB;
const LOW_BYTES = GIB;
const LOW_SHARE = 0.1;

interface Room {
  readonly free: number;
  readonly total: number;
}

/** The space available to an unprivileged process. */
export async function measureRoom(folder: string): Promise<Room> {
  const { bavail, blocks, bsize } = await statfs(folder);
  return { free: bavail * bsize, total: blocks * bsize };
}

/** Whether the embedded PostgreSQL has disk space. For an external server only the size of the database is known. */
export function examineDisk(size: number, place?: { folder: string; room: Room }): Finding {
  const taken = `the database uses ${inUnits(size)}`;
  if (!place) return ok(CHECK, `${taken}; the free space of its server is unknown`);
  const { folder, room } = place;
  const left = `${inUnits(room.free)} of ${inUnits(room.total)} are free at ${folder}, ${taken}`;
  const fix = `Free disk space, or stop the service and move DATA_DIR to a larger disk. To see what uses space: du -sh ${folder}/*`;
  if (room.free < FULL_BYTES) return failed(CHECK, `${left}: writes will soon fail`, fix);
  if (room.free < LOW_BYTES || room.free < room.total * LOW_SHARE) return warning(CHECK, left, fix);
  return ok(CHECK, left);
}

const inUnits = (bytes: number): string =>
  bytes >= GIB ? `${(bytes / GIB).toFixed(1)} GiB` : `${Math.round(bytes / MIB)} MiB`;
