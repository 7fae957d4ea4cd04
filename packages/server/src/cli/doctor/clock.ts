import type { Clock } from '../../platform/clock.ts';
import type { Db } from '../../platform/db/connect.ts';
import { findServerTime } from '../../platform/db/server-state.ts';
import { type Finding, failed, ok, warning } from './finding.ts';
import { lasting } from './times.ts';

const CHECK = 'clock';
/** Milliseconds. An authenticator app is forgiven 30 seconds, third parties' tokens and those who verify ours about a minute. */
const NOTED = 5_000;
const TOO_MUCH = 60_000;
const LOOKS = 3;

/** The clock of this machine against the database's, which all replicas share. The quickest of three looks is the truest. */
export async function examineClock(db: Db, clock: Clock): Promise<Finding> {
  let best = { ahead: 0, unsure: Number.POSITIVE_INFINITY };
  for (let look = 0; look < LOOKS; look++) {
    const before = clock.now().getTime();
    const theirs = (await findServerTime(db)).getTime();
    const later = clock.now().getTime();
    const unsure = (later - before) / 2;
    if (unsure < best.unsure) best = { ahead: before + unsure - theirs, unsure };
  }
  return judge(best.ahead, best.unsure);
}

function judge(ahead: number, unsure: number): Finding {
  const apart = Math.abs(ahead);
  // What the way there and back may have taken of it is nobody's fault.
  const certain = apart - unsure;
  if (certain < NOTED) return ok(CHECK, `within ${apart < 1000 ? 'a second' : lasting(apart)} of the database's`);
  const detail = `this machine is ${lasting(apart)} ${ahead > 0 ? 'ahead of' : 'behind'} the database`;
  const fix =
    'Synchronize both machines with NTP: `timedatectl set-ntp true`; `timedatectl` shows whether they are synchronized.';
  if (certain < TOO_MUCH) return warning(CHECK, detail, fix);
  return failed(CHECK, `${detail}: if this machine is wrong, TOTP codes and new tokens are rejected`, fix);
}
