import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { failed, ok, skipped, warning } from './finding.ts';
import { renderReport } from './print.ts';
import { createReport } from './report.ts';

const report = createReport(new AbortController().signal);
report.add('Database', failed('database', 'is not there\nat all', 'Start it.'));
report.skip(
  [
    { group: 'Database', check: 'clock' },
    { group: 'Database', check: 'disk' },
    { group: 'Service', check: 'sweeper' },
  ],
  'no database',
);
report.add('Service', warning('address', 'silent', 'Start the service.'));
report.add('Database', skipped('backups', 'cannot be seen', 'Make one.'));
report.add('Settings', ok('environment', 'set'));

describe('doctor: report', () => {
  it('prints aligned lines by group, with remedies and a summary', () => {
    expect(stripVTControlCharacters(renderReport(report.findings()))).toBe(
      [
        'Settings',
        '✓ environment  set',
        '',
        'Database',
        '✗ database     is not there',
        '               at all',
        '               → Start it.',
        '- clock, disk: no database',
        '- backups      cannot be seen',
        '               → Make one.',
        '',
        'Service',
        '! address      silent',
        '               → Start the service.',
        '- sweeper      no database',
        '',
        '7 checks: 1 failed, 1 warning, 1 ok, 4 skipped.',
      ].join('\n'),
    );
  });

  it('`learn` returns undefined if a query fails', async () => {
    expect(await report.learn(() => Promise.reject(new Error('x')))).toBeUndefined();
    expect(await report.learn(async () => 7)).toBe(7);
  });
});
