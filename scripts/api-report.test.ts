import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { renderApiReport } from './api-report.ts';

const packages = join(import.meta.dirname, '../packages');
const published = readdirSync(packages).filter(
  (name) => !JSON.parse(readFileSync(join(packages, name, 'package.json'), 'utf8')).private,
);

it('finds the published packages', () => expect(published).toEqual(['client', 'verify']));

it.each(published)('packages/%s/api-report.md has the exports of the built package', async (name) => {
  const report = renderApiReport(join(packages, name));
  expect(report.split('\n').length).toBeGreaterThan(100);
  await expect(report).toMatchFileSnapshot(`../packages/${name}/api-report.md`);
});
