import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { nameOfCommand, ours } from './ours.ts';

it('is called by npx in a checkout, from whatever folder of it the code was loaded', () => {
  expect(ours('doctor')).toBe('npx gatehouse doctor');
  expect(nameOfCommand(join(import.meta.dirname, '../../dist'))).toBe('npx gatehouse');
});

it('is called by its name where there is no checkout around it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gh-ours-'));
  try {
    expect(nameOfCommand(join(folder, 'packages/server/dist'))).toBe('gatehouse');
  } finally {
    rmSync(folder, { recursive: true });
  }
});
