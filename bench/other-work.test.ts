import { expect, it } from 'vitest';
import { warningOf } from './other-work.ts';

it.each([
  [0, false],
  [0.1, false],
  [0.11, true],
  [-0.02, false],
])('if other programs use a share of %d of the CPU time, a warning is printed: %s', (share, isPrinted) => {
  expect(warningOf(share) !== undefined).toBe(isPrinted);
});
