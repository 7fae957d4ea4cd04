import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const folder = import.meta.dirname;

/** Sets the colour scheme before the first paint: a classic script, because modules run later. */
const schemeFirst = (): Plugin => {
  const code = readFileSync(join(folder, 'src/scheme.js'), 'utf8');
  const file = `assets/scheme-${createHash('sha256').update(code).digest('hex').slice(0, 8)}.js`;
  return {
    name: 'scheme-first',
    generateBundle() {
      this.emitFile({ type: 'asset', fileName: file, source: code });
    },
    transformIndexHtml: () => [{ tag: 'script', attrs: { src: `/${file}` }, injectTo: 'head-prepend' }],
  };
};

export default defineConfig({
  root: folder,
  plugins: [react(), schemeFirst()],
  // From source, so that the package need not be built first.
  resolve: { alias: { '@gatehouse/client': join(folder, '../client/src/index.ts') } },
  build: {
    target: ['chrome111', 'firefox128', 'safari16.4'],
    modulePreload: { polyfill: false },
    // Inlined assets would need a CSP that allows `data:` in more places.
    assetsInlineLimit: 0,
    rolldownOptions: { input: { hosted: join(folder, 'hosted.html'), app: join(folder, 'app.html') } },
  },
});
