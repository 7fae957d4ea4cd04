import { cpus } from 'node:os';
import { hasProc, readCpu } from './proc.ts';

/** The share of all CPU time above which other programs disturb a measurement. */
const MAX_SHARE = 0.1;

/** Milliseconds that all cores were busy since the system started. */
const busyTime = (): number =>
  cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0);

/** Milliseconds of CPU time of the bench and everything it has started. */
function ownTime(): number {
  const { service, database } = readCpu([process.pid]);
  return service + database;
}

/** Returns a check for CPU time of other programs. Call it before the processes of the bench end. Linux only. */
export function watchOtherWork(): () => string | undefined {
  const begun = { at: performance.now(), busy: busyTime(), own: ownTime() };
  return () => {
    const available = cpus().length * (performance.now() - begun.at);
    const share = (busyTime() - begun.busy - (ownTime() - begun.own)) / available;
    return hasProc ? warningOf(share) : undefined;
  };
}

export const warningOf = (share: number): string | undefined =>
  share > MAX_SHARE
    ? `! Other programs used ${Math.round(share * 100)} % of the CPU time. Repeat this bench on an idle machine.`
    : undefined;
