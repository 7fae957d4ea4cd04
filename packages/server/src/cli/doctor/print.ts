import pc from 'picocolors';
import { counted } from '../support/text.ts';
import type { Finding } from './finding.ts';
import { GROUPS, type Grouped } from './report.ts';

const MARKS = { ok: pc.green('✓'), warning: pc.yellow('!'), failed: pc.red('✗'), skipped: pc.dim('-') };

export function renderReport(findings: readonly Grouped[]): string {
  const width = Math.max(...findings.map(({ check }) => check.length));
  const parts = GROUPS.map((group) => {
    const own = findings.filter((finding) => finding.group === group);
    return own.length === 0 ? [] : [pc.bold(group), ...linesOf(own, width), ''];
  });
  return [...parts.flat(), summaryOf(findings)].join('\n');
}

function linesOf(findings: readonly Finding[], width: number): string[] {
  // Checks skipped for the same reason share a line.
  const bare = (finding: Finding) => finding.status === 'skipped' && finding.fix === undefined;
  const sameDetail = (detail: string) => findings.filter((finding) => bare(finding) && finding.detail === detail);
  return findings.flatMap((finding) => {
    const same = bare(finding) ? sameDetail(finding.detail) : [];
    if (same.length < 2) return describe(finding, width);
    if (same[0] !== finding) return [];
    return [`${MARKS.skipped} ${same.map(({ check }) => check).join(', ')}: ${finding.detail}`];
  });
}

function describe({ check, status, detail, fix }: Finding, width: number): string[] {
  const indent = ' '.repeat(width + 4);
  const [first, ...more] = detail.split('\n');
  return [
    `${MARKS[status]} ${check.padEnd(width)}  ${first}`,
    ...more.map((line) => `${indent}${line}`),
    ...(fix === undefined ? [] : [`${indent}${pc.cyan('→')} ${fix}`]),
  ];
}

function summaryOf(findings: readonly Finding[]): string {
  const count = (status: Finding['status']) => findings.filter((finding) => finding.status === status).length;
  const skipped = count('skipped');
  const parts = [`${count('failed')} failed`, counted(count('warning'), 'warning'), `${count('ok')} ok`];
  return `${counted(findings.length, 'check')}: ${parts.join(', ')}${skipped > 0 ? `, ${skipped} skipped` : ''}.`;
}
