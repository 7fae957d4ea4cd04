import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { CAMPAIGNS, type Campaign, type CampaignName, campaignOf, type Option } from './chapters.ts';
import { makeRunFolder } from './run-folder.ts';

class Misuse extends Error {}

const root = join(import.meta.dirname, '..');
const OPTIONS: readonly Option[] = ['rounds', 'minutes', 'seed'];
const USAGE =
  'Usage: npm run attack|faults|fuzz -- [chapter …] | --list. Options: --rounds N (attack, faults), --minutes N (faults), --seed N (faults, fuzz)';

interface Asked {
  readonly campaign: CampaignName;
  readonly chapters: readonly string[];
  readonly list: boolean;
  readonly settings: Readonly<Record<string, string>>;
}

function readArguments([name, ...args]: readonly string[]): Asked {
  if (!(name! in CAMPAIGNS)) throw new Misuse(`Unknown campaign: ${name}.`);
  const campaign = name as CampaignName;
  const { values, positionals } = parse(args);
  const known = campaignOf(campaign).chapters.map((chapter) => chapter.name);
  const unknown = positionals.filter((chapter) => !known.includes(chapter));
  if (unknown.length > 0) throw new Misuse(`${campaign} has no chapter named ${unknown.join(', ')}.`);
  return {
    campaign,
    chapters: positionals.length > 0 ? positionals : known,
    list: values.list || values.help,
    settings: Object.fromEntries(
      OPTIONS.flatMap((option) => {
        const given = values[option];
        if (given === undefined) return [];
        if (!campaignOf(campaign).options.includes(option)) throw new Misuse(`${campaign} has no option --${option}.`);
        return [[`TRUST_${option.toUpperCase()}`, wholeNumber(option, given)]];
      }),
    ),
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        help: { type: 'boolean', default: false },
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
  if (!/^[1-9]\d{0,9}$/.test(given)) throw new Misuse(`--${name} must be a positive integer.`);
  return given;
}

function listChapters({ about, chapters }: Campaign): void {
  console.log(`${about}\n${USAGE}\n`);
  for (const { name, about: environment } of chapters) console.log(`  ${name.padEnd(14)}  ${environment}`);
}

/** Runs Vitest in a child process, with the tests that `npm test` runs in short form. */
async function run({ campaign, chapters, settings }: Asked): Promise<number> {
  const folder = makeRunFolder();
  const environment = {
    TRUST_CAMPAIGN: campaign,
    TRUST_CHAPTERS: chapters.join(','),
    TRUST_EFFORT: 'full',
    TRUST_FOLDER: folder.path,
    ...settings,
  };
  const args = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'trust/vitest.config.ts'];
  const child = spawn(process.execPath, args, { cwd: root, stdio: 'inherit', env: { ...process.env, ...environment } });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal));
  const code = await new Promise<number>((resolve) => child.on('close', (code) => resolve(code ?? 1)));
  await folder.clear();
  return code;
}

try {
  const asked = readArguments(process.argv.slice(2));
  if (asked.list) listChapters(campaignOf(asked.campaign));
  else process.exitCode = await run(asked);
} catch (error) {
  if (!(error instanceof Misuse)) throw error;
  console.error(`${error.message}
${USAGE}`);
  process.exitCode = 2;
}
