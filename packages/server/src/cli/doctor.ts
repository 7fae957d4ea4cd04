import type { Command } from 'commander';
import pc from 'picocolors';
import { examine } from './doctor/examine.ts';
import type { Finding } from './doctor/finding.ts';
import { CommandFailure } from './failure.ts';

export function addDoctor(program: Command): void {
  program
    .command('doctor')
    .description('check everything the service needs, and say how to mend what is wrong; changes nothing')
    .option('--json', 'for machines: { ok, findings: [{ check, status, detail, fix }] }')
    .action(async ({ json }: { json?: boolean }) => {
      const findings = await examine();
      const ok = findings.every((finding) => finding.status !== 'failed');
      if (json) console.log(JSON.stringify({ ok, findings }, null, 2));
      else print(findings);
      if (!ok) throw new CommandFailure(json ? '' : 'Something the service cannot do without is wrong.');
    });
}

const MARKS = { ok: pc.green('✓'), warning: pc.yellow('!'), failed: pc.red('✗'), skipped: pc.dim('-') };

function print(findings: readonly Finding[]): void {
  const width = Math.max(...findings.map(({ check }) => check.length));
  for (const { check, status, detail, fix } of findings) {
    const [first, ...more] = detail.split('\n');
    console.log(`${MARKS[status]} ${check.padEnd(width)}  ${first}`);
    for (const line of more) console.log(`  ${' '.repeat(width)}  ${line}`);
    if (fix) console.log(`  ${' '.repeat(width)}  ${pc.cyan('→')} ${fix}`);
  }
}
