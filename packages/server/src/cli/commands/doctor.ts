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
    .description('check everything the service needs, and say how to mend what is wrong; changes nothing')
    .option('--json', 'for machines: { ok, findings: [{ group, check, status, detail, fix }] }')
    .option('--offline', 'ask the database alone: neither PUBLIC_BASE_URL nor the mail server')
    .addHelpText(
      'after',
      '\nExit codes: 0 fine or warnings alone, 1 something the service cannot do without is wrong. docs/operating.md has all checks.',
    )
    .action(diagnose);
}

/** Milliseconds. A name that is being looked up, or a server that never answers, does not keep the command. */
const LINGER = 500;

async function diagnose({ json = false, offline = false }: Options): Promise<void> {
  const findings = await examine({ offline });
  setTimeout(() => process.exit(), LINGER).unref();
  const ok = findings.every((finding) => finding.status !== 'failed');
  console.log(json ? JSON.stringify({ ok, findings }, null, 2) : renderReport(findings));
  if (!ok) throw new CommandFailure(json ? '' : 'Something the service cannot do without is wrong.');
}
