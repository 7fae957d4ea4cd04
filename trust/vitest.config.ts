import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { TEST_TIMEOUT_MS, TIMEOUT_MS } from '../packages/server/test/timeouts.ts';
import { type CampaignName, campaignOf } from './chapters.ts';
import { LedgerReporter } from './ledger-reporter.ts';

const campaign = campaignOf(process.env.TRUST_CAMPAIGN as CampaignName);
const only = process.env.TRUST_CHAPTERS?.split(',');
const chapters = campaign.chapters.filter(({ name }) => !only || only.includes(name));
const root = join(import.meta.dirname, '..');

/** Runs the full form of one campaign serially, so that measurements have the machine to themselves. */
export default defineConfig({
  root,
  test: {
    name: 'embedded',
    globalSetup: ['packages/server/test/postgres.ts'],
    include: chapters.flatMap(({ files }) => files),
    runner: 'trust/rounds-runner.ts',
    isolate: false,
    maxWorkers: 1,
    fileParallelism: false,
    testTimeout: 600_000,
    hookTimeout: TEST_TIMEOUT_MS,
    expect: { poll: { timeout: TIMEOUT_MS } },
    reporters: ['default', new LedgerReporter({ ...campaign, chapters }, root)],
  },
});
