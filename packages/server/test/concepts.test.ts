import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LIMITS } from '@gatehouse/contract';
import { describe, expect, it } from 'vitest';
import { permissionsOf } from '../src/domain/kernel/permissions.ts';
import { loadConfig } from '../src/platform/config/load.ts';
import { SECRET } from './postgres.ts';
import { readDoc } from './spec-tables.ts';

const root = join(import.meta.dirname, '../../..');
const config: Readonly<Record<string, unknown>> = {
  ...loadConfig({ JWT_SECRET: SECRET, PUBLIC_BASE_URL: 'http://localhost:8080' }),
};

/** Seconds for each unit. Other units count as 1. */
const UNITS: Readonly<Record<string, number>> = { second: 1, minute: 60, hour: 3600, day: 86_400 };
const FIGURE = /\b(\d+) (seconds?|minutes?|hours?|days?|characters|digits|attempts|recovery codes)\b/g;
const ROW = /^\| ([^|]+) \| (\d+) ([a-z ]+) \| ([^|]+) \|$/gm;

/** Returns the value of `LIMITS.mfaToken.lifetime`, of a setting, or of a constant in a file. */
function findValue(where: string): unknown {
  const [name = '', file] = [...where.matchAll(/`([^`]+)`/g)].map((match) => match[1]!);
  if (file !== undefined) return constantIn(file, name);
  const [first, ...rest] = name.split('.');
  if (first !== 'LIMITS') return config[name];
  return rest.reduce<unknown>((value, key) => (value as Record<string, unknown>)[key], LIMITS);
}

function constantIn(file: string, name: string): number | undefined {
  const found = new RegExp(`^(?:export )?const ${name} = ([\\d_]+)( \\* 60)?;$`, 'm').exec(
    readFileSync(join(root, file), 'utf8'),
  );
  if (!found) return undefined;
  const value = Number(found[1]!.replaceAll('_', '')) * (found[2] ? 60 : 1);
  // Values that end in _000 are milliseconds.
  return /_000$/.test(found[1]!) ? value / 1000 : value;
}

describe('docs/concepts.md', () => {
  const page = readDoc('concepts.md');
  const [text = '', table = ''] = page.split('## The figures on this page');
  const rows = [...table.matchAll(ROW)].map(([, what, count, unit, where]) => ({
    what: what!,
    figure: `${count} ${unit}`,
    value: Number(count) * (UNITS[unit!.replace(/s$/, '')] ?? 1),
    where: where!,
  }));

  it('the figures in the table of docs/concepts.md match the code', () => {
    expect(rows.length).toBeGreaterThan(20);
    const lines = table.split('\n').filter((line) => /^\| .*\d/.test(line));
    expect(lines).toHaveLength(rows.length);
    expect(rows.filter(({ value, where }) => findValue(where) !== value)).toEqual([]);
  });

  it('the text and the table of docs/concepts.md have the same figures', () => {
    const inText = new Set([...text.matchAll(FIGURE)].map(([whole]) => whole));
    expect(inText.size).toBeGreaterThan(10);
    const inTable = new Set(rows.map(({ figure }) => figure));
    expect([...inText].filter((figure) => !inTable.has(figure))).toEqual([]);
    expect([...inTable].filter((figure) => !text.includes(figure))).toEqual([]);
  });

  it('names only files that exist', () => {
    const paths = [...page.matchAll(/`(packages\/[\w./-]+\.ts)`|\]\(\.\.\/(packages\/[\w./-]+\.ts)\)/g)].map(
      ([, quoted, linked]) => (quoted ?? linked)!,
    );
    expect(paths.length).toBeGreaterThan(0);
    expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  it('names only settings that exist', () => {
    const settings = [...page.matchAll(/`([A-Z]+_[A-Z_]+)(?:=[a-z]+)?`/g)].map((match) => match[1]!);
    const constants = rows.map(({ where }) => where).filter((where) => where.includes(' in '));
    expect(settings.length).toBeGreaterThan(2);
    expect(settings.filter((one) => !(one in config) && !constants.some((where) => where.includes(one)))).toEqual([]);
  });

  it('each role has the permissions in its row and in the rows above it', () => {
    const listed: string[] = [];
    for (const role of ['member', 'admin', 'owner'] as const) {
      const row = new RegExp(`^\\| \`${role}\` \\|.*\\|(.*)\\|$`, 'm').exec(page);
      listed.push(...[...(row?.[1] ?? '').matchAll(/`([a-z_.]+)`/g)].map((match) => match[1]!));
      expect(listed.toSorted(), role).toEqual(permissionsOf({ role, held: null }));
    }
  });

  it('every sign-in method is in the diagram and ends at sign-in completion', () => {
    const source = join(root, 'packages/server/src');
    const methods = {
      password: 'features/password/login.ts',
      code: 'features/email-otp/verify.ts',
      third: 'features/social/sign-in.ts',
      passkey: 'features/passkeys/complete-login.ts',
      challenge: 'features/mfa/challenge.ts',
      fresh: 'features/invitations/register-invited.ts',
    };
    for (const [node, file] of Object.entries(methods)) {
      expect(page).toMatch(new RegExp(`^  ${node}(\\[.*\\])? --> complete$`, 'm'));
      expect(readFileSync(join(source, file), 'utf8')).toContain('domain/sign-in/complete.ts');
    }
    const arrows = [...page.matchAll(/^ {2}(\w+)(?:\[.*\])? --> complete$/gm)].map((match) => match[1]!);
    expect(arrows.toSorted()).toEqual(Object.keys(methods).toSorted());
  });

  it('the maximum age of the feed and that of a poll add up to the promised 5 seconds', () => {
    const { maxAge, maxStaleness } = LIMITS.revocationFeed;
    const poll = constantIn('packages/verify/src/feed.ts', 'MAX_AGE_MS')!;
    expect(maxAge + poll).toBe(maxStaleness);
    expect(page).toContain(`${maxAge} + ${poll} = ${maxStaleness}`);
  });
});
