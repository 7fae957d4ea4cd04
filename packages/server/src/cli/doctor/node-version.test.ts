import { describe, expect, it } from 'vitest';
import { examineNode } from './node-version.ts';

describe('doctor: Node', () => {
  it.each([
    ['v18.20.8', 'failed', 'too old'],
    ['v20.19.9', 'failed', '20.20 or later'],
    ['v20.20.0', 'warning', 'April 2026'],
    ['v20.20.2', 'warning', 'end of life'],
    ['v22.12.0', 'ok', 'v22.12.0'],
    ['v23.1.0', 'warning', 'not an LTS version'],
    ['v24.0.0', 'ok', 'v24.0.0'],
    ['v26.10.0', 'ok', 'v26.10.0'],
  ])('version %s: the finding is %s', (version, status, detail) => {
    const finding = examineNode(version);
    expect(finding).toMatchObject({ check: 'node', status, detail: expect.stringContaining(detail) });
    if (status !== 'ok') expect(finding.fix).toContain('24 or later');
  });
});
