import { join } from 'node:path';
import type { Plugin } from 'vite';
import { defineConfig } from 'vitest/config';
import { TEST_TIMEOUT_MS, TIMEOUT_MS } from '../../packages/server/test/timeouts.ts';
import { type Guard, isChosen } from './guard.ts';
import { GUARDS, SOURCES, without } from './guards.ts';
import { UNTOUCHED, VerdictReporter } from './verdict-reporter.ts';

const root = join(import.meta.dirname, '../..');
const guards = GUARDS.filter((guard) => isChosen(guard, process.env.TRUST_GUARD ?? ''));

const guarded = new Set(guards.map(({ file }) => join(root, SOURCES, file)));

/**
 * Disables the guard when the file is loaded; the file itself does not change. All other modules are transformed once
 * for all projects. Files with guards are not cached, because the cache key does not depend on what a plugin changes.
 */
const switchOff = (guard?: Guard): Plugin => ({
  name: 'switch-off',
  enforce: 'pre',
  transform: (text, id) => (guard && id === join(root, SOURCES, guard.file) ? without(guard, text) : undefined),
  configureVitest: ({ experimental_defineCacheKeyGenerator: defineKey }) =>
    defineKey(({ id }) => (guarded.has(id) ? false : undefined)),
});

const projectOf = (name: string, tests: readonly string[], guard?: Guard) => ({
  root,
  plugins: [switchOff(guard)],
  test: {
    name,
    provide: { hasGuards: guard === undefined },
    setupFiles: ['trust/mutation/first-failure.ts'],
    experimental: { fsModuleCache: true, fsModuleCachePath: join(root, 'node_modules/.cache/mutate') },
    include: tests.map((path) => `${SOURCES}/${path}${path.endsWith('.ts') ? '' : '/*.test.ts'}`),
    isolate: false,
    testTimeout: TEST_TIMEOUT_MS,
    hookTimeout: TEST_TIMEOUT_MS,
    expect: { poll: { timeout: TIMEOUT_MS } },
  },
});

/** One project for each guard, with that guard switched off; first, the same tests with every guard in place. */
export default defineConfig({
  root,
  test: {
    maxWorkers: 3,
    // Runs once: all projects share one PostgreSQL.
    globalSetup: ['packages/server/test/postgres.ts'],
    reporters: [new VerdictReporter(guards.map(({ name }) => name))],
    projects: [
      projectOf(UNTOUCHED, [...new Set(guards.flatMap(({ tests }) => tests))]),
      ...guards.map((guard) => projectOf(guard.name, guard.tests, guard)),
    ],
  },
});
