import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import pc from 'picocolors';
import type { Note, Reason } from '../../domain/foreign-users/judge.ts';
import { type Line, type Report, skippedIn, type Told } from '../../domain/foreign-users/report.ts';

const REASONS: Readonly<Record<Reason, string>> = {
  already_here: 'have an account with that email here already',
  duplicate: 'have an email that came before in the file',
  unverified_duplicate: 'have an email that they never verified, and somebody else in the file has',
  no_email: 'have no email',
  invalid_email: 'have an email that is none by our rules',
  deleted_there: 'were deleted there',
  service_account: 'are programs, not people',
  federated_user: 'are kept in a directory that Keycloak asks: neither email nor password is in the export',
  unreadable: 'are no user that can be read',
};

const NOTES: Readonly<Record<Note, string>> = {
  unknown_hash: 'come without a password: their hash is of no kind that is known here',
  costly_hash: 'come without a password: checking it would cost more than one sign-in may',
  left_second_factor: 'had a second factor there, and have none here until they set it up',
  left_passkey: 'had a passkey there, which works there alone',
  left_other_identity: 'signed in with a provider too that they have to link again',
  identity_in_use: 'have a Google or GitHub sign-in that another account has',
  identity_elsewhere:
    'had a Google or GitHub sign-in that is not linked: OAUTH_A_* or OAUTH_B_* points to another service here',
  too_many_identities: 'had more sign-ins with Google or GitHub than one account may have',
  email_not_verified: 'have an email that is spelled another way here, and so counts as not verified',
  name_changed: 'have a name that was cleaned or cut',
};

interface Choice {
  readonly dry_run: boolean;
  readonly organization: string | undefined;
  readonly role: string | undefined;
}

/** The counts of everything, and a few examples of what somebody may want to look at. */
export function printReport(report: Report, { dry_run, organization, role = 'member' }: Choice): void {
  const skipped = skippedIn(report);
  const where =
    organization === undefined ? 'each as owner of an organization of their own' : `each as ${role} of ${organization}`;
  const what = dry_run ? 'would be brought along' : 'were brought along';
  const mark = report.brought_along > 0 ? pc.green('✓') : pc.yellow('!');
  console.log(`${mark} ${number(report.read)} read, ${number(report.brought_along)} ${what}, ${where}`);
  for (const [label, count] of [...report.hashes].sort(([, left], [, right]) => right - left)) row(count, label);
  if (report.disabled > 0) row(report.disabled, 'of them disabled, as they were there');
  if (report.identities > 0) row(report.identities, 'sign-ins with Google or GitHub linked');
  for (const [note, told] of report.notes) explain(NOTES[note], told);
  if (skipped > 0) console.log(`${pc.yellow('!')} ${number(skipped)} ${dry_run ? 'would be skipped' : 'were skipped'}`);
  for (const [reason, told] of report.skipped) explain(REASONS[reason], told);
  if (dry_run) console.log('  Nothing was written.');
}

const number = (count: number): string => count.toLocaleString('en');
const row = (count: number, text: string): void => console.log(`  ${number(count).padStart(9)}  ${text}`);

function explain(text: string, { count, examples }: Told): void {
  row(count, text);
  for (const example of examples) console.log(pc.dim(`             ${example}`));
  if (count > examples.length) console.log(pc.dim('             …'));
}

/**
 * Emails are in it: nobody else is to read it. It is always a new file, so that it never takes the place of what is read, and is
 * gone again when there was nothing to tell: the same command can be run once more.
 */
export function openReport(path: string | undefined): { write(line: Line): void; close(): void } {
  if (path === undefined) return { write() {}, close() {} };
  const file = openSync(path, 'wx', 0o600);
  let written = 0;
  return {
    write(line) {
      written += writeSync(file, `${JSON.stringify(line)}\n`);
    },
    close() {
      closeSync(file);
      if (written === 0) rmSync(path);
    },
  };
}
