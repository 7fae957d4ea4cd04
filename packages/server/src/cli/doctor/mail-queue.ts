import { after, type Clock } from '../../platform/clock.ts';
import type { Db } from '../../platform/db/connect.ts';
import { startCommand } from '../support/cli-command.ts';
import { counted } from '../support/text.ts';
import { type Finding, ok, warning } from './finding.ts';
import { type Backlog, findLostMails, findWaitingMails, MAX_COUNT } from './queries.ts';
import { between } from './times.ts';

const CHECK = 'mail queue';
/** Mails are normally sent within seconds, and the first retries after a failure take less than ten minutes. */
const DELAYED_SECONDS = 600;
const DAY_SECONDS = 86_400;

/** Reports delayed and failed mails. `isServed`: a service is running that sends them. */
export async function examineMailQueue(db: Db, clock: Clock, isServed: boolean): Promise<Finding[]> {
  const now = clock.now();
  const waiting = await findWaitingMails(db, after(now, -DELAYED_SECONDS), now);
  const lost = await findLostMails(db, after(now, -DAY_SECONDS));
  const findings: Finding[] = [];
  if (waiting.count > 0) {
    const detail = `${many(waiting)} waiting, the oldest for ${between(waiting.oldest!, now)}${by(waiting)}`;
    const fix = isServed
      ? `${remedyFor(waiting.reason)} Queued mails are then sent automatically.`
      : `Start the service: ${startCommand()}. It sends them.`;
    findings.push(warning(CHECK, detail, fix));
  }
  if (lost.count > 0) {
    const detail = `${many(lost)} failed in the last day${by(lost)}`;
    findings.push(
      warning(CHECK, detail, `${remedyFor(lost.reason)} They are not sent again: users must request new ones.`),
    );
  }
  return findings.length > 0 ? findings : [ok(CHECK, 'none is delayed, none failed in the last day')];
}

const many = ({ count }: Backlog): string =>
  count >= MAX_COUNT ? `${MAX_COUNT} mails or more` : counted(count, 'mail');
const by = ({ reason }: Backlog): string => (reason === null ? '' : ` (mostly: ${reason})`);

function remedyFor(reason: string | null): string {
  if (reason === null) return "Look for `mail` in the service's log.";
  if (reason === 'no_transport')
    return 'Set EMAIL_API_KEY and EMAIL_FROM, or SMTP_URL, or configure Resend in the console.';
  if (/^smtp_53[045]$/.test(reason)) return 'Correct the user and password in SMTP_URL.';
  if (/^http_40[13]$/.test(reason))
    return "Correct the key: EMAIL_API_KEY, or the stored key of Resend. The sender's domain must be verified there.";
  if (reason === 'unreachable' || reason === 'timeout')
    return 'Check that the mail server or the API can be reached from here: see the check `mail`.';
  if (reason === 'unreadable')
    return 'They were encrypted with another JWT_SECRET: set JWT_SECRET_PREVIOUS to it, and restart every replica.';
  if (reason === 'unknown_template') return 'A later version queued them: update every replica to that version.';
  if (reason.startsWith('smtp_5') || reason === 'http_422')
    return 'The mail server or the API rejects these mails: check that it accepts the sender (EMAIL_FROM).';
  return "Look for `mail` in the service's log.";
}
