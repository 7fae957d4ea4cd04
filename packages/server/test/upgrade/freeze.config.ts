import { defineConfig } from 'vitest/config';

/** This run is not part of `npm test`: see freeze.ts. */
export default defineConfig({
  test: {
    name: 'system',
    include: ['packages/server/test/upgrade/freeze.ts'],
    globalSetup: ['packages/server/test/postgres.ts'],
  },
});
