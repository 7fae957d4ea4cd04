import type { Reporter } from 'vitest/node';

export class CountReporter implements Reporter {}
