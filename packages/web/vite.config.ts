import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig, minifySync, type Plugin, type Rolldown } from 'vite';
import type { Entry } from './src/pages.ts';
import type { Preloads } from './src/settings.ts';

const folder = import.meta.dirname;
const HOSTED = join(folder, 'src/hosted');

/** The module of each hosted page, as in `src/hosted/main.tsx`. */
const pageModules = (): Record<string, string> =>
  Object.fromEntries(
    [...readFileSync(join(HOSTED, 'main.tsx'), 'utf8').matchAll(/'(\/[\w/-]*)': \(\) => import\('\.\/([^']+)'\)/g)].map(
      ([, path, file]) => [path!, join('hosted', file!)],
    ),
  );

/**
 * The areas of the app, keyed by the first path segment. `module` identifies the chunk of the area, `texts` the chunks
 * of its text.
 */
const AREAS = {
  '/account': { module: 'account/AccountAccess.tsx', texts: [] },
  '/organization': { module: 'organization/NotAllowed.tsx', texts: ['organization/text', 'webhooks/text'] },
  '/console': { module: 'console/ConsoleAccess.tsx', texts: ['console/overview/text', 'webhooks/text'] },
};

/** Returns the files that a module needs besides those of the entry, which the HTML document already names. */
function filesOf(bundle: Rolldown.OutputBundle, entryName: Entry, module: string): string[] {
  const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
  const closure = (chunk: Rolldown.OutputChunk, seen = new Set<string>()): Set<string> => {
    if (seen.has(chunk.fileName)) return seen;
    seen.add(chunk.fileName);
    for (const name of chunk.imports) closure(bundle[name] as Rolldown.OutputChunk, seen);
    return seen;
  };
  const entry = chunks.find((chunk) => chunk.isEntry && chunk.name === entryName)!;
  const loaded = closure(entry);
  const chunk = chunks.find((candidate) => candidate.moduleIds.includes(module));
  if (!chunk) throw new Error(`no chunk contains ${module}`);
  const needed = [...closure(chunk)].filter((name) => !loaded.has(name));
  const sheets = needed.flatMap((name) => [
    ...((bundle[name] as Rolldown.OutputChunk).viteMetadata?.importedCss ?? []),
  ]);
  return [...needed, ...sheets].map((name) => name.replace('assets/', ''));
}

/**
 * Fails the build if a hosted page can load the libraries of the app, also on demand: their style sheet would replace
 * the colours of the page.
 */
function checkHosted(bundle: Rolldown.OutputBundle): void {
  const seen = new Set<string>();
  const check = (chunk: Rolldown.OutputChunk): void => {
    if (seen.has(chunk.fileName)) return;
    seen.add(chunk.fileName);
    for (const name of [...chunk.imports, ...chunk.dynamicImports]) {
      if (name.includes('libraries-')) {
        throw new Error(`hosted pages would load ${name}, which ${chunk.fileName} imports`);
      }
      check(bundle[name] as Rolldown.OutputChunk);
    }
  };
  const entry = Object.values(bundle).find((file) => file.type === 'chunk' && file.isEntry && file.name === 'hosted');
  if (entry?.type !== 'chunk') throw new Error('the bundle has no entry named hosted');
  check(entry);
}

/** A classic script that sets the colour scheme before the first paint. */
const early = (): Plugin => {
  const source = readFileSync(join(folder, 'src/early.js'), 'utf8');
  const { code } = minifySync('early.js', source);
  const file = `assets/early-${createHash('sha256').update(code).digest('hex').slice(0, 8)}.js`;
  return {
    name: 'early',
    transformIndexHtml: {
      order: 'post',
      handler: () => [{ tag: 'script', attrs: { src: `/${file}` }, injectTo: 'head-prepend' }],
    },
    generateBundle() {
      this.emitFile({ type: 'asset', fileName: file, source: code });
    },
  };
};

/**
 * Writes `preload.json`. The service adds preload links to the document, because the browser would otherwise find them
 * only after it has run the entry.
 */
const preloads = (): Plugin => ({
  name: 'preloads',
  enforce: 'post',
  generateBundle: {
    order: 'post',
    handler(_options, bundle) {
      checkHosted(bundle);
      const filesIn = (entry: Entry, module: string) => filesOf(bundle, entry, join(folder, 'src', module));
      const filesOfPage = (entry: Entry, module: string, ...texts: string[]) => {
        const textsIn = (language: string) => [
          ...new Set(
            [...texts, `${entry}/text`, 'ui/text'].flatMap((text) => filesIn(entry, `${text}/${language}.ts`)),
          ),
        ];
        return { all: filesIn(entry, module), en: textsIn('en'), de: textsIn('de') };
      };
      const hosted = Object.entries(pageModules()).map(([path, module]) => [path, filesOfPage('hosted', module)]);
      const app = Object.entries(AREAS).map(([path, { module, texts }]) => [
        path,
        filesOfPage('app', module, ...texts),
      ]);
      const content: Preloads = { hosted: Object.fromEntries(hosted), app: Object.fromEntries(app) };
      this.emitFile({ type: 'asset', fileName: 'preload.json', source: JSON.stringify(content) });
    },
  },
});

/**
 * What both bundles and most hosted pages need: one script and one sheet, which the app finds in the cache after the
 * sign-in. Chunks of single modules would be a request each. Nothing that imports Mantine.
 */
const BASE = [
  /rolldown[\\/]runtime/,
  /node_modules[\\/](?:react|react-dom|scheduler)[\\/]/,
  /[\\/]client[\\/]src[\\/](?:call|refresh|gatehouse-error|calls[\\/](?:session|sign-in)|credentials[\\/]same-site)\.ts$/,
  /[\\/]src[\\/]ui[\\/](?:Root|ErrorNote|session-\w+|use-action)\.tsx?$/,
  /[\\/]src[\\/]hosted[\\/](?!main|Created)(?:[\w-]+|(?:form|parts)[\\/](?!NewPassword)[\w.-]+)\.\w+$/,
  /[\\/](?:ThirdParties|use-passkey|PasskeyNote|pending-sign-in)\.(?:module\.css|tsx?)$/,
  /[\\/]hosted[\\/]interaction[\\/]find\.ts$/,
];

/** Mantine's components that account pages do not use, with the components that only they import. */
const OTHER_COMPONENTS =
  '@mantine[\\\\/]core[\\\\/]esm[\\\\/]components[\\\\/](?:Combobox|Drawer|FloatingIndicator|MultiSelect|Pill|PillsInput|SegmentedControl|Select|SimpleGrid)[\\\\/]';

/**
 * The chunks by priority: a module is in the first one that matches it or a module that imports it. A chunk for each
 * page of the app would take several round trips, because a page imports about twenty modules that other pages share.
 */
const CHUNKS: readonly (readonly [string, readonly RegExp[]])[] = [
  ['base', BASE],
  ['hosted-text-en', [/src[\\/](?:hosted|ui)[\\/]text[\\/]en\.ts$/]],
  ['hosted-text-de', [/src[\\/](?:hosted|ui)[\\/]text[\\/]de\.ts$/]],
  // What the app shares with hosted pages other than the sign-in page. Nothing that imports Mantine.
  [
    'shared-with-hosted',
    [
      /[\\/](?:client|contract)[\\/]src[\\/]/,
      /src[\\/]ui[\\/](?!strength|text[\\/]|(?:CopyButton|Loading|Panel|PasswordField)\.)/,
      /src[\\/]applications[\\/]\w+\.ts$/,
      /src[\\/]app[\\/](?:icons|save-file)\.ts$/,
    ],
  ],
  ['libraries', [new RegExp(`node_modules[\\\\/](?!@zxcvbn|fastest-levenshtein|${OTHER_COMPONENTS})`)]],
  ['other-libraries', [new RegExp(OTHER_COMPONENTS)]],
  ['app-text-en', [/src[\\/](?:app|account)[\\/].*\ben\.ts$/]],
  ['app-text-de', [/src[\\/](?:app|account)[\\/].*\bde\.ts$/]],
  ['shared-text-en', [/src[\\/](?:roles|webhooks|activity)[\\/].*\ben(?:-actions)?\.ts$/]],
  ['shared-text-de', [/src[\\/](?:roles|webhooks|activity)[\\/].*\bde(?:-actions)?\.ts$/]],
  ['organization-text-en', [/src[\\/]organization[\\/].*\ben\.ts$/]],
  ['organization-text-de', [/src[\\/]organization[\\/].*\bde\.ts$/]],
  ['console-text-en', [/src[\\/]console[\\/].*\ben\.ts$/]],
  ['console-text-de', [/src[\\/]console[\\/].*\bde\.ts$/]],
  [
    'shell',
    [
      /src[\\/]app[\\/](?!main|(?:CopyableId|Missing|Notice|RemoteSelect|names|renewal|uuid)\.)/,
      /src[\\/]ui[\\/](?:CopyButton|Loading|Panel|PasswordField)\./,
    ],
  ],
  [
    'shared-by-areas',
    [
      /src[\\/](?:roles|webhooks|activity)[\\/]/,
      /src[\\/]app[\\/](?:CopyableId|Missing|Notice|RemoteSelect|names|renewal|uuid)\./,
      /src[\\/]organization[\\/](?:text\.ts|policy[\\/]PolicyFacts)/,
    ],
  ],
  ['account', [/src[\\/]account[\\/]/]],
  ['organization', [/src[\\/]organization[\\/]/]],
  ['console', [/src[\\/]console[\\/]/]],
];

export default defineConfig({
  root: folder,
  plugins: [react(), early(), preloads()],
  // Resolves the client to its source, so that the package need not be built first.
  resolve: { alias: { '@gatehouse/client': join(folder, '../client/src/index.ts') } },
  build: {
    target: ['chrome111', 'firefox128', 'safari16.4'],
    modulePreload: { polyfill: false },
    // Inlined assets would need a CSP that allows `data:` in more places.
    assetsInlineLimit: 0,
    rolldownOptions: {
      input: { hosted: join(folder, 'hosted.html'), app: join(folder, 'app.html') },
      output: {
        codeSplitting: {
          groups: CHUNKS.map(([name, patterns], index) => ({
            name,
            test: (id: string) => patterns.some((pattern) => pattern.test(id)),
            priority: CHUNKS.length - index,
          })),
        },
      },
    },
  },
});
