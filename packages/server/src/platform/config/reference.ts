import type { Setting } from './kinds.ts';
import { SETTINGS } from './settings.ts';

const REQUIRED = new Set(['JWT_SECRET', 'PUBLIC_BASE_URL']);

const show = (name: string, { fallback }: Setting<unknown>): string => {
  if (REQUIRED.has(name)) return '**required**';
  if (fallback === undefined || (Array.isArray(fallback) && fallback.length === 0)) return '';
  if (typeof fallback === 'object') {
    const { count, window } = fallback as { count: number; window: number };
    return `\`${count}/${shorten(window)}\``;
  }
  const isTime = typeof fallback === 'number' && /_TTL$|_AGE$/.test(name);
  return `\`${isTime ? shorten(fallback as number) : fallback}\``;
};

const shorten = (seconds: number): string => {
  const [unit, size] = seconds % 86400 === 0 ? ['d', 86400] : seconds % 3600 === 0 ? ['h', 3600] : ['m', 60];
  return `${seconds / Number(size)}${unit}`;
};

/** docs/configuration.md, from the table itself; a test keeps the two the same. */
export function renderConfigurationReference(): string {
  const rows = Object.entries(SETTINGS as Record<string, Setting<unknown>>).map(([name, setting]) => {
    const options = setting.options?.map((option) => `\`${option}\``).join(', ');
    const example = options ? ` One of ${options}.` : setting.example ? ` For example ${setting.example}.` : '';
    return `| \`${name}\` | ${show(name, setting)} | ${setting.doc}${example}${setting.secret ? ' Secret.' : ''} |`;
  });
  return `# Configuration

From the environment, or from a \`.env\` file in the working folder; a variable of the environment wins, also when it is empty, and empty
means unset. Times are seconds or \`15m\`, \`24h\`, \`30d\`; limits are a count in a time, such as \`20/15m\`; lists are separated by commas.

This page is printed from the table in \`packages/server/src/platform/config/settings.ts\`; \`npm test -- config/reference -u\` prints it anew.

| setting | default | what it is |
|---|---|---|
${rows.join('\n')}
`;
}
