import type { Command } from 'commander';
import { examine } from '../doctor/examine.ts';
import { renderReport } from '../doctor/print.ts';
import { CommandFailure } from '../support/failure.ts';

interface Options {
  readonly json?: boolean;
  readonly offline?: boolean;
}

export function addDoctor(program: Command): void {
  program
    .command('doctor')
    .description('check everything the service needs and show how to fix problems; changes nothing')
    .option('--json', 'print JSON: { ok, findings: [{ group, check, status, detail, fix }] }')
    .option('--offline', 'check only the database and this machine, not PUBLIC_BASE_URL or the mail server')
    .addHelpText(
      'after',
      '\nExit codes: 0 no failed check (there may be warnings), 1 a check failed. docs/operating.md lists all checks.',
    )
    .action(diagnose);
}

/** A pending DNS lookup or an unresponsive server must not keep the process alive for longer than this. */
const EXIT_DELAY_MS = 500;

async function diagnose({ json = false, offline = false }: Options): Promise<void> {
  const findings = await examine({ offline });
  setTimeout(() => process.exit(), EXIT_DELAY_MS).unref();
  const ok = findings.every((finding) => finding.status !== 'failed');
  console.log(json ? JSON.stringify({ ok, findings }, null, 2) : renderReport(findings));
  if (!ok) throw new CommandFailure(json ? '' : 'At least one check failed. See the ✗ lines above.');
}
