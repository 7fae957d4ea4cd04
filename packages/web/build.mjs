// Builds the pages and compresses every file at build time, so that no response waits for compression.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'vite';

const folder = dirname(fileURLToPath(import.meta.url));
// Otherwise Vite would use NODE_ENV of the environment, and might build the development version of React.
process.env.NODE_ENV = 'production';
await build({ root: folder, configFile: join(folder, 'vite.config.ts'), logLevel: 'warn' });

const assets = join(folder, 'dist/assets');
for (const name of readdirSync(assets)) {
  const file = join(assets, name);
  const content = readFileSync(file);
  writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }));
  writeFileSync(
    `${file}.br`,
    brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: content.length } }),
  );
}
