import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';

export const root = join(import.meta.dirname, '../../..');
export const deployed = (name: string): string => readFileSync(join(root, 'deploy', name), 'utf8');

/** An instruction and its stage. Before the first `FROM` the stage is ''. */
interface Instruction {
  readonly stage: string;
  readonly keyword: string;
  readonly rest: string;
}

export function readDockerfile(text: string): Instruction[] {
  let stage = '';
  return text
    .replaceAll(/^\s*#.*\n/gm, '')
    .replaceAll(/\\\n/g, ' ')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [, keyword, rest] = /^(\S+)\s+(.*)$/.exec(line)!;
      if (keyword === 'FROM') stage = /\sAS\s+(\S+)$/.exec(rest!)![1]!;
      return { stage, keyword: keyword!, rest: rest!.trim() };
    });
}

/** Reads `NAME=value NAME=value`, without quotes. */
export const readPairs = (text: string): Record<string, string> =>
  Object.fromEntries([...text.matchAll(/(\w+)=(\S*)/g)].map(([, name, value]) => [name!, value!]));

export const readEnvFile = (text: string): Record<string, string> =>
  Object.fromEntries([...text.matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name!, value!]));

/** Reads all values of each key of a systemd unit, by section. */
export function readUnit(text: string): Record<string, Record<string, string[]>> {
  const sections: Record<string, Record<string, string[]>> = {};
  let section: Record<string, string[]> = {};
  for (const line of text.split('\n')) {
    const [, name] = /^\[(\w+)\]$/.exec(line) ?? [];
    if (name) {
      section = {};
      sections[name] = section;
    }
    const [, key, value] = /^(\w+)=(.*)$/.exec(line) ?? [];
    if (key) section[key] = [...(section[key] ?? []), value!];
  }
  return sections;
}

// biome-ignore lint/suspicious/noExplicitAny: two formats with hundreds of fields each; kubernetes-types checks the one, a run the other.
export type Loose = any;

export const readYaml = (text: string): Loose => parse(text, { strict: true });

export const readManifests = (text: string): Loose[] =>
  parseAllDocuments(text, { strict: true }).map((document) => {
    if (document.errors.length > 0) throw document.errors[0];
    return document.toJS();
  });

/** Returns `30s`, `1m` or `90` in milliseconds. */
export function duration(text: string): number {
  const [, count, unit] = /^(\d+)(s|m)?$/.exec(text)!;
  return Number(count) * (unit === 'm' ? 60_000 : 1_000);
}

/** Returns a size of nginx, such as `8m`, in bytes. */
export const size = (text: string): number => Number(/^(\d+)m$/.exec(text)![1]) * 1024 * 1024;
