import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig, minifySync, type Plugin, type Rolldown } from 'vite';

const folder = import.meta.dirname;
const HOSTED = join(folder, 'src/hosted');

/** The module of each hosted page, as in `src/hosted/main.tsx`. */
const pageModules = (): Record<string, string> =>
  Object.fromEntries(
    [...readFileSync(join(HOSTED, 'main.tsx'), 'utf8').matchAll(/'(\/[\w/-]*)': \(\) => import\('\.\/([^']+)'\)/g)].map(
      ([, path, file]) => [path!, join(HOSTED, file!)],
    ),
  );

/** Returns the files that a module needs besides those of the entry, which the HTML document already names. */
function filesOf(bundle: Rolldown.OutputBundle, module: string): string[] {
  const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
  const closure = (chunk: Rolldown.OutputChunk, seen = new Set<string>()): Set<string> => {
    if (seen.has(chunk.fileName)) return seen;
    seen.add(chunk.fileName);
    for (const name of chunk.imports) closure(bundle[name] as Rolldown.OutputChunk, seen);
    return seen;
  };
  const entry = chunks.find((chunk) => chunk.isEntry && chunk.name === 'hosted')!;
  const loaded = closure(entry);
  const chunk = chunks.find((candidate) => candidate.moduleIds.includes(module));
  if (!chunk) throw new Error(`no chunk contains ${module}`);
  return [...closure(chunk)].filter((name) => !loaded.has(name)).map((name) => name.replace(/^assets\/|\.js$/g, ''));
}

/**
 * A classic script that sets the colour scheme before the first paint, and preloads the files of the hosted page at
 * this path, which the browser would otherwise find only after it has run the entry.
 */
const early = (): Plugin => {
  let file = '';
  let code = '';
  return {
    name: 'early',
    enforce: 'post',
    transformIndexHtml: {
      order: 'post',
      handler: (_html, { bundle }) => {
        const filesIn = (module: string) => filesOf(bundle as unknown as Rolldown.OutputBundle, module);
        const pages = Object.entries(pageModules()).map(([path, module]) => [path, filesIn(module)]);
        const languages = ['en', 'de'].map((language) => [
          language,
          ['hosted', 'ui'].flatMap((part) => filesIn(join(folder, `src/${part}/text/${language}.ts`))),
        ]);
        const source = readFileSync(join(folder, 'src/early.js'), 'utf8')
          .replace("'{{pages}}'", JSON.stringify(Object.fromEntries(pages)))
          .replace("'{{languages}}'", JSON.stringify(Object.fromEntries(languages)));
        ({ code } = minifySync('early.js', source));
        file = `assets/early-${createHash('sha256').update(code).digest('hex').slice(0, 8)}.js`;
        return [{ tag: 'script', attrs: { src: `/${file}` }, injectTo: 'head-prepend' }];
      },
    },
    generateBundle() {
      this.emitFile({ type: 'asset', fileName: file, source: code });
    },
  };
};

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
];

export default defineConfig({
  root: folder,
  plugins: [react(), early()],
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
          groups: [{ name: 'base', test: (id) => BASE.some((pattern) => pattern.test(id)) }],
        },
      },
    },
  },
});
