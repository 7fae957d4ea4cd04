import type { Clock } from '../../platform/clock.ts';
import type { Db } from '../../platform/db/connect.ts';
import { findServerTime } from '../../platform/db/server-state.ts';
import { type Finding, failed, ok, warning } from './finding.ts';
import { lasting } from './times.ts';

const CHECK = 'clock';
/** TOTP codes tolerate a clock difference of 30 seconds; tokens of third parties and our verifiers about a minute. */
const WARN_MS = 5_000;
const FAIL_MS = 60_000;
const SAMPLES = 3;

/** Compares our clock with the database's, which all replicas share. Uses the fastest of three round trips. */
export async function examineClock(db: Db, clock: Clock): Promise<Finding> {
  let best = { ahead: 0, uncertainty: Number.POSITIVE_INFINITY };
  for (let sample = 0; sample < SAMPLES; sample++) {
    const before = clock.now().getTime();
    const databaseTime = (await findServerTime(db)).getTime();
    const later = clock.now().getTime();
    const uncertainty = (later - before) / 2;
    if (uncertainty < best.uncertainty) best = { ahead: before + uncertainty - databaseTime, uncertainty };
  }
  return assess(best.ahead, best.uncertainty);
}

function assess(ahead: number, uncertainty: number): Finding {
  const apart = Math.abs(ahead);
  // Up to `uncertainty` of the difference may come from the round trip.
  const certain = apart - uncertainty;
  if (certain < WARN_MS) return ok(CHECK, `within ${apart < 1000 ? 'a second' : lasting(apart)} of the database's`);
  const detail = `this machine is ${lasting(apart)} ${ahead > 0 ? 'ahead of' : 'behind'} the database`;
  const fix =
    'Synchronize both machines with NTP: `timedatectl set-ntp true`; `timedatectl` shows whether they are synchronized.';
  if (certain < FAIL_MS) return warning(CHECK, detail, fix);
  return failed(CHECK, `${detail}: if this machine is wrong, TOTP codes and new tokens are rejected`, fix);
}
