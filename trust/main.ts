import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { CAMPAIGNS, type Campaign, type CampaignName, campaignOf } from './chapters.ts';

class Misuse extends Error {}

const root = join(import.meta.dirname, '..');

interface Asked {
  readonly campaign: CampaignName;
  readonly chapters: readonly string[];
  readonly list: boolean;
  readonly settings: Readonly<Record<string, string>>;
}

function readArguments([name, ...args]: readonly string[]): Asked {
  if (!(name! in CAMPAIGNS)) throw new Misuse(`There is no campaign called ${name}.`);
  const campaign = name as CampaignName;
  const { values, positionals } = parse(args);
  const known = campaignOf(campaign).chapters.map((chapter) => chapter.name);
  const unknown = positionals.filter((chapter) => !known.includes(chapter));
  if (unknown.length > 0) throw new Misuse(`${campaign} has no chapter called ${unknown.join(', ')}.`);
  return {
    campaign,
    chapters: positionals.length > 0 ? positionals : known,
    list: values.list,
    settings: {
      ...(values.rounds !== undefined && { TRUST_ROUNDS: wholeNumber('rounds', values.rounds) }),
      ...(values.minutes !== undefined && { TRUST_MINUTES: wholeNumber('minutes', values.minutes) }),
      ...(values.seed !== undefined && { TRUST_SEED: wholeNumber('seed', values.seed) }),
    },
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        list: { type: 'boolean', default: false },
        rounds: { type: 'string' },
        minutes: { type: 'string' },
        seed: { type: 'string' },
      },
    });
  } catch (error) {
    throw new Misuse(`${(error as Error).message.split('. ')[0]}.`);
  }
}

function wholeNumber(name: string, given: string): string {
  if (!/^[1-9]\d{0,9}$/.test(given)) throw new Misuse(`--${name} must be a whole number from 1.`);
  return given;
}

function listChapters({ about, chapters }: Campaign): void {
  console.log(about);
  for (const { name, about: told } of chapters) console.log(`  ${name.padEnd(14)}  ${told}`);
}

/** In a process of its own, by the same tests that `npm test` runs in their short form. */
function run({ campaign, chapters, settings }: Asked): Promise<number> {
  const told = { TRUST_CAMPAIGN: campaign, TRUST_CHAPTERS: chapters.join(','), TRUST_EFFORT: 'full', ...settings };
  const args = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'trust/vitest.config.ts'];
  const child = spawn(process.execPath, args, { cwd: root, stdio: 'inherit', env: { ...process.env, ...told } });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
  return new Promise((resolve) => child.on('close', (code) => resolve(code ?? 1)));
}

try {
  const asked = readArguments(process.argv.slice(2));
  if (asked.list) listChapters(campaignOf(asked.campaign));
  else process.exitCode = await run(asked);
} catch (error) {
  if (!(error instanceof Misuse)) throw error;
  console.error(
    `${error.message}\nnpm run attack|faults|fuzz -- [chapter …] [--rounds N] [--minutes N] [--seed N], or --list`,
  );
  process.exitCode = 2;
}
