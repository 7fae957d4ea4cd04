import { after, type Clock } from '../../platform/clock.ts';
import type { Db } from '../../platform/db/connect.ts';
import { starting } from '../support/ours.ts';
import { counted } from '../support/text.ts';
import { type Finding, ok, warning } from './finding.ts';
import { type Backlog, findLostMails, findWaitingMails, MANY } from './queries.ts';
import { between } from './times.ts';

const CHECK = 'mail queue';
/** Seconds. A mail leaves within seconds; the first tries in vain take less than ten minutes. */
const SOON = 600;
const DAY = 86_400;

/** Mails that wait, and those that nobody will get any more. `isServed`: somebody is there to send them. */
export async function examineMailQueue(db: Db, clock: Clock, isServed: boolean): Promise<Finding[]> {
  const now = clock.now();
  const waiting = await findWaitingMails(db, after(now, -SOON), now);
  const lost = await findLostMails(db, after(now, -DAY));
  const findings: Finding[] = [];
  if (waiting.count > 0) {
    const detail = `${many(waiting)} waiting, the oldest for ${between(waiting.oldest!, now)}${by(waiting)}`;
    const fix = isServed
      ? `${remedyFor(waiting.reason)} What waits is then sent by itself.`
      : `Start the service: ${starting()}. It sends them.`;
    findings.push(warning(CHECK, detail, fix));
  }
  if (lost.count > 0) {
    const detail = `${many(lost)} given up in the last day${by(lost)}`;
    findings.push(
      warning(CHECK, detail, `${remedyFor(lost.reason)} Those are not sent again: people have to ask for new ones.`),
    );
  }
  return findings.length > 0 ? findings : [ok(CHECK, 'none waits for long, none was given up in the last day')];
}

const many = ({ count }: Backlog): string => (count >= MANY ? `${MANY} mails or more` : counted(count, 'mail'));
const by = ({ reason }: Backlog): string => (reason === null ? '' : ` (mostly: ${reason})`);

function remedyFor(reason: string | null): string {
  if (reason === null) return 'See the log of the service for `mail`.';
  if (reason === 'no_transport')
    return 'Set EMAIL_API_KEY and EMAIL_FROM, or SMTP_URL, or store the configuration of Resend.';
  if (/^smtp_53[045]$/.test(reason)) return 'Correct user and password in SMTP_URL.';
  if (/^http_40[13]$/.test(reason))
    return 'Correct the key: EMAIL_API_KEY, or the stored one of Resend; the domain of the sender must be verified there.';
  if (reason === 'unreachable' || reason === 'timeout')
    return 'See that the mail server, or the API, can be reached from here: the check `mail` asks it.';
  if (reason === 'unreadable')
    return 'They were sealed under another JWT_SECRET: put that one into JWT_SECRET_PREVIOUS, and restart every replica.';
  if (reason === 'unknown_template') return 'A later version has queued them: update every replica to it.';
  if (reason.startsWith('smtp_5') || reason === 'http_422')
    return 'The other side refuses these mails: see that it knows the sender (EMAIL_FROM).';
  return 'See the log of the service for `mail`.';
}
