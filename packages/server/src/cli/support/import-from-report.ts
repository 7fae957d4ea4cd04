import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import pc from 'picocolors';
import { type Line, type ReasonCount, type Report, skippedIn } from '../../domain/user-import/report.ts';
import type { Note, Reason } from '../../domain/user-import/validate.ts';

const REASONS: Readonly<Record<Reason, string>> = {
  already_here: 'already have an account with that email',
  duplicate: 'have an email that occurs earlier in the file',
  unverified_duplicate: 'have an unverified email that another user in the file has verified',
  no_email: 'have no email',
  invalid_email: 'have an invalid email',
  deleted_there: 'were deleted in the other service',
  service_account: 'are service accounts',
  federated_user: 'come from a user federation of Keycloak: the export contains neither their email nor their password',
  unreadable: 'are not readable user records',
};

const NOTES: Readonly<Record<Note, string>> = {
  unknown_hash: 'have no password: the format of their hash is not supported',
  costly_hash: 'have no password: their hash is too expensive to verify',
  left_second_factor: 'had a second factor, which was not imported: they must set it up again',
  left_passkey: 'had a passkey, which works only with the other service',
  left_other_identity: 'had a sign-in with another provider, which they must link again',
  identity_in_use: 'have a Google or GitHub sign-in that is linked to another account',
  identity_elsewhere:
    'had a Google or GitHub sign-in that is not linked: OAUTH_A_* or OAUTH_B_* points to another service here',
  too_many_identities: 'had more Google or GitHub sign-ins than an account can have',
  email_not_verified: 'have an email that was normalized, and is therefore not verified',
  name_changed: 'have a name that was cleaned or shortened',
};

interface Choice {
  readonly dry_run: boolean;
  readonly organization: string | undefined;
  readonly role: string | undefined;
}

export function printReport(report: Report, { dry_run, organization, role = 'member' }: Choice): void {
  const skipped = skippedIn(report);
  const where =
    organization === undefined ? 'each as owner of their own organization' : `each as ${role} of ${organization}`;
  const what = dry_run ? 'would be imported' : 'imported';
  const mark = report.brought_along > 0 ? pc.green('✓') : pc.yellow('!');
  console.log(`${mark} ${number(report.read)} read, ${number(report.brought_along)} ${what}, ${where}`);
  for (const [label, count] of [...report.hashes].sort(([, left], [, right]) => right - left)) row(count, label);
  if (report.disabled > 0) row(report.disabled, 'disabled, as in the other service');
  if (report.identities > 0) row(report.identities, 'Google or GitHub sign-ins linked');
  for (const [note, occurrences] of report.notes) explain(NOTES[note], occurrences);
  if (skipped > 0) console.log(`${pc.yellow('!')} ${number(skipped)} ${dry_run ? 'would be skipped' : 'skipped'}`);
  for (const [reason, occurrences] of report.skipped) explain(REASONS[reason], occurrences);
  if (dry_run) console.log('  Nothing was written.');
}

const number = (count: number): string => count.toLocaleString('en');
const row = (count: number, text: string): void => console.log(`  ${number(count).padStart(9)}  ${text}`);

function explain(text: string, { count, examples }: ReasonCount): void {
  row(count, text);
  for (const example of examples) console.log(pc.dim(`             ${example}`));
  if (count > examples.length) console.log(pc.dim('             …'));
}

/**
 * Opens the report, which contains emails, readable by its owner only. It is always a new file, so that it never
 * overwrites the input, and is removed if empty, so that the same command can be repeated.
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
