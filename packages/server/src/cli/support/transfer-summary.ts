import pc from 'picocolors';
import type { Manifest } from '../../domain/export/manifest.ts';
import { MOVED } from '../../domain/export/tables.ts';
import { counted } from './text.ts';

const MAX_NAMED = 20;

export function summaryOf(manifest: Manifest): string[] {
  return ['', ...movedLines(manifest), '', 'Not exported:', ...leftLines(manifest), ...unopenedLines(manifest), ''];
}

export const rowsIn = ({ files }: Manifest): string =>
  `${files.reduce((sum, { rows }) => sum + rows, 0).toLocaleString('en')} rows`;

function movedLines({ files }: Manifest): string[] {
  const numbers = files.map(({ rows }) => rows.toLocaleString('en'));
  const width = Math.max(...numbers.map(({ length }) => length));
  const names = Math.max(...files.map(({ table }) => table.length));
  return files.map(({ table }, index) => `  ${table.padEnd(names)}  ${numbers[index]!.padStart(width)}`);
}

function leftLines({ not_moved }: Manifest): string[] {
  const reasons = [...new Set(not_moved.map(({ reason }) => reason))];
  return reasons.map((why) => {
    const tables = not_moved.filter(({ reason }) => reason === why);
    const names = tables.map(({ table, rows }) => `${table} (${rows.toLocaleString('en')})`);
    return `  ${names.join(', ')}: ${why}`;
  });
}

function unopenedLines({ files }: Manifest): string[] {
  return files
    .filter(({ unopened }) => unopened > 0)
    .map(({ table, unopened, unopened_of }) => {
      const { noun = '', under = '' } = MOVED.find(({ name }) => name === table)?.sealed ?? {};
      const more = unopened - Math.min(unopened_of.length, MAX_NAMED);
      const names = [...unopened_of.slice(0, MAX_NAMED), ...(more > 0 ? [`and ${more} more`] : [])].join(', ');
      return (
        `\n${pc.yellow('!')} The old service could not decrypt ${counted(unopened, noun)}: ${names}. Copied unchanged: ` +
        `to decrypt ${unopened === 1 ? 'it' : 'them'}, set ${under}_PREVIOUS to the old key.`
      );
    });
}
