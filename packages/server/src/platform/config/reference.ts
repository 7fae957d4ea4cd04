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

/** Renders docs/configuration.md from the table of settings. A test compares the two. */
export function renderConfigurationReference(): string {
  const rows = Object.entries(SETTINGS as Record<string, Setting<unknown>>).map(([name, setting]) => {
    const options = setting.options?.map((option) => `\`${option}\``).join(', ');
    const example = options ? ` One of ${options}.` : setting.example ? ` For example ${setting.example}.` : '';
    return `| \`${name}\` | ${show(name, setting)} | ${setting.doc}${example}${setting.secret ? ' Secret.' : ''} |`;
  });
  return `# Configuration

Settings are environment variables, or lines of a \`.env\` file in the working folder. An environment variable takes
precedence, even if it is empty. An empty value means unset. A secret can be read from a file: set its name with
\`_FILE\` appended, such as \`JWT_SECRET_FILE\`, to the path. Durations are seconds or \`15m\`, \`24h\`, \`30d\`. Limits are
a count per duration, such as \`20/15m\`. Lists are separated by commas.

This page is generated from \`packages/server/src/platform/config/settings.ts\`. Run \`npm test -- config/reference -u\` to
update it.

| setting | default | description |
|---|---|---|
${rows.join('\n')}
`;
}
