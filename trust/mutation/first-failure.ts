// Runs before each test file. If a guard is disabled, the tests of the file after the first failure are skipped.
import { beforeEach, inject, onTestFailed } from 'vitest';

declare module 'vitest' {
  export interface ProvidedContext {
    hasGuards: boolean;
  }
}

const hasGuards = inject('hasGuards');
let isCaught = false;

beforeEach(({ skip }) => {
  if (isCaught) skip();
  onTestFailed(() => {
    isCaught = !hasGuards;
  });
});
