import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, expect, it } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'gh-start-'));
const other = createServer();
afterEach(() => {
  other.close();
  rmSync(folder, { recursive: true, force: true });
});

it('npm start reports a used port before it installs anything', async () => {
  for (const name of ['start', 'ports', 'setup']) {
    cpSync(join(import.meta.dirname, `${name}.mjs`), join(folder, `scripts/${name}.mjs`));
  }
  await new Promise<void>((done) => other.listen(0, '127.0.0.1', done));
  const { port } = other.address() as AddressInfo;
  const env = { PATH: process.env.PATH, PORT: String(port) } as NodeJS.ProcessEnv;
  const start = promisify(execFile)(process.execPath, ['scripts/start.mjs'], { cwd: folder, env });
  await expect(start).rejects.toMatchObject({
    code: 1,
    stderr: `Port ${port} is in use by another program. Stop it, or choose a free port: PORT=9000 npm start\n`,
  });
  expect(existsSync(join(folder, 'node_modules'))).toBe(false);
});
