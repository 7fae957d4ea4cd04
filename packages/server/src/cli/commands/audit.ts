import { createReadStream } from 'node:fs';
import type { Command } from 'commander';
import pc from 'picocolors';
import { exportKeys } from '../../domain/audit/export-key.ts';
import { type Verdict, verifyExport } from '../../features/audit/verify.ts';
import { currentEnvironment } from '../support/environment.ts';
import { CommandFailure } from '../support/failure.ts';
import { counted } from '../support/text.ts';

export function addAudit(program: Command): void {
  const audit = program.command('audit').description('the audit trail');
  audit
    .command('verify')
    .argument('<file>', 'the response body of GET /admin/audit-export')
    .description('verify the signature of an audit export; needs AUDIT_EXPORT_KEY or JWT_SECRET, but no database')
    .action(verify);
}

async function verify(file: string): Promise<void> {
  const keys = exportKeys(currentEnvironment());
  if (keys.length === 0) {
    throw new CommandFailure('No key is set. Set AUDIT_EXPORT_KEY or, if the service has none, its JWT_SECRET.');
  }
  const verdict = await verifyExport(createReadStream(file), keys).catch((error: NodeJS.ErrnoException) => {
    if (error.code === undefined) throw error;
    throw new CommandFailure(`${file} cannot be read (${error.code}).`);
  });
  if (verdict.fault !== undefined) throw new CommandFailure(`${verdict.fault}\n  Found: ${contents(verdict)}.`);
  console.log(`${pc.green('✓')} The signature is valid (${verdict.signedWith}): ${contents(verdict)}.`);
}

const contents = ({ rows, first, last }: Verdict): string =>
  `${counted(rows, 'row')}${first === undefined ? '' : `, from ${first} to ${last}`}`;
