import { describe, expect, it } from 'vitest';
import { readSources } from '../packages/server/test/sources.ts';
import { testsFor } from './changed-tests.ts';

const sources = readSources();
const testsOf = (...changed: string[]) => testsFor(changed, sources).tests;

describe('npm test -- --changed', () => {
  it('runs nothing without a change', () => {
    expect(testsOf()).toEqual([]);
  });

  it('runs a changed test, and the tests that read the whole tree', () => {
    const test = 'packages/server/src/features/mfa/enrol.test.ts';
    expect(testsOf(test)).toContain(test);
    expect(testsOf(test)).toContain('packages/server/test/layers.test.ts');
    expect(testsOf(test).length).toBeLessThan(15);
  });

  it('runs the tests beside a changed source, those beside its importers, and the access table test', () => {
    const tests = testsOf('packages/server/src/features/members/queries.ts');
    expect(tests).toContain('packages/server/src/features/members/remove.test.ts');
    expect(tests).toContain('packages/server/test/access-table.test.ts');
    expect(tests).toContain('packages/server/test/race/members.test.ts');
    expect(tests).not.toContain('packages/server/src/features/avatars/picture.test.ts');
  });

  it('runs the tests that name a changed document', () => {
    expect(testsOf('docs/adding-a-feature.md')).toContain('packages/server/test/adding-a-feature.test.ts');
  });

  it('runs the page tests of a changed part of the web app', () => {
    expect(testsOf('packages/web/src/account/new.tsx')).toContain('packages/web/test/account-profile.test.ts');
  });

  it('leaves out the tests furthest from the change if there are too many, and returns their number', () => {
    const { tests, left_out } = testsFor(['packages/server/src/platform/clock.ts'], sources);
    expect(tests.length).toBeLessThan(60);
    expect(left_out).toBeGreaterThan(100);
  });
});
