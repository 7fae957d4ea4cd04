import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { packagePath, Skipped, unpackDebian } from '../bench/debian.ts';
import { makeFolder, root, runNode, runProgram, type Started, startProgram } from '../bench/start-process.ts';
import { freePort } from '../packages/server/test/ports.ts';
import { createMachine, startWithOwner } from './account.ts';
import type { Proof } from './proof.ts';

/** Debian's modules need Debian's interpreter. */
const PYTHON = '/usr/bin/python3';
const PYTHON_PACKAGES = ['python3-jwt', 'python3-cryptography', 'python3-fastapi', 'python3-uvicorn', 'python3-flask'];
/** The promise of the service: a revoked session is refused within this time. */
const REVOKED_WITHIN_MS = 5_000;
const START_TIMEOUT_MS = 60_000;

type Verdicts = Readonly<Record<string, readonly unknown[]>>;

const pythonFolder = join(root, 'sdks/python');
const goFolder = join(root, 'sdks/go');

export const proof: Proof = {
  about: 'the verifiers for Python and Go: the verdicts on all test vectors, and a revoked session at running servers',
  async run({ check }) {
    if (!existsSync(PYTHON)) throw new Skipped(`this machine has no ${PYTHON}`);
    const packages = await unpackDebian(...PYTHON_PACKAGES, 'python3-django', 'golang-go');
    const folder = makeFolder();
    const go = realpathSync(packagePath(packages, 'usr/bin/go'));
    const python = {
      ...packages.env,
      PYTHONPATH: [pythonFolder, join(packages.folder, 'usr/lib/python3/dist-packages')].join(':'),
      PYTHONDONTWRITEBYTECODE: '1',
    };
    const golang = {
      GOROOT: dirname(dirname(go)),
      GOCACHE: join(folder, 'go-cache'),
      GOPATH: join(folder, 'go'),
      GOPROXY: 'off',
      CGO_ENABLED: '0',
    };

    const verdictsOf = async (name: string, work: (env: Readonly<Record<string, string>>) => Promise<void>) => {
      const path = join(folder, `${name}.json`);
      await work({ VERDICTS_FILE: path });
      return JSON.parse(readFileSync(path, 'utf8')) as Verdicts;
    };
    const vitest = ['run', '--project', 'embedded', 'packages/verify/test/vectors.test.ts'];
    const expected = await verdictsOf('typescript', (env) =>
      runNode([join(root, 'node_modules/vitest/vitest.mjs'), ...vitest], { cwd: root, env }),
    );
    const others = {
      Python: await verdictsOf('python', (env) =>
        runProgram(PYTHON, ['-m', 'unittest', 'discover', 'tests'], { cwd: pythonFolder, env: { ...python, ...env } }),
      ),
      Go: await verdictsOf('go', (env) =>
        runProgram(go, ['test', '-count=1', './...'], { cwd: goFolder, env: { ...golang, ...env } }),
      ),
    };
    const scenarios = Object.keys(expected);
    const total = scenarios.reduce((sum, name) => sum + expected[name]!.length, 0);
    check('the vectors contain more than 100 scenarios', scenarios.length > 100, true);
    for (const [language, verdicts] of Object.entries(others)) {
      check(`${language}: the ${total} verdicts equal those of TypeScript`, differences(expected, verdicts), []);
    }

    const server = join(folder, 'server');
    await runProgram(go, ['build', '-o', server, './examples/server'], { cwd: goFolder, env: golang });
    const account = await startWithOwner();
    const start = async (program: string, args: (port: string) => readonly string[], env: Record<string, string>) => {
      const port = String(await freePort());
      const place = { cwd: join(pythonFolder, 'examples'), env: { ...env, PORT: port, ISSUER: account.url } };
      const started = startProgram(program, args(port), place);
      const url = `http://127.0.0.1:${port}`;
      await untilAnswers(url, started);
      return url;
    };
    const servers: Readonly<Record<string, string>> = {
      FastAPI: await start(PYTHON, (port) => ['-m', 'uvicorn', 'fastapi_app:app', '--port', port], python),
      Flask: await start(PYTHON, (port) => ['-m', 'flask', '--app', 'flask_app', 'run', '--port', port], python),
      Django: await start(PYTHON, (port) => ['django_app.py', 'runserver', '--noreload', `127.0.0.1:${port}`], python),
      'net/http': await start(server, () => [], golang),
    };
    const ask = async (url: string, path: string, credential?: string) => {
      const headers: Record<string, string> = credential ? { authorization: `Bearer ${credential}` } : {};
      const answer = await fetch(url + path, { headers });
      return { status: answer.status, body: (await answer.json()) as Record<string, unknown>, headers: answer.headers };
    };
    const statuses = async (path: string, credential?: string) =>
      Object.fromEntries(
        await Promise.all(
          Object.entries(servers).map(async ([name, url]) => [name, (await ask(url, path, credential)).status]),
        ),
      );
    const all = (status: number) => Object.fromEntries(Object.keys(servers).map((name) => [name, status]));

    const token = await account.client.accessToken();
    for (const [name, url] of Object.entries(servers)) {
      const { status, body } = await ask(url, '/me', token);
      check(`${name}: a token is accepted`, [status, body], [200, { user_id: account.user_id }]);
      const refused = await ask(url, '/me');
      const seen = [refused.status, refused.headers.get('www-authenticate'), Object.keys(refused.body)];
      check(`${name}: a request without a token is refused`, seen, [401, 'Bearer', ['error']]);
    }
    check('a token without the permission is refused', await statuses('/invoices', token), all(403));
    const { key, revoke } = await createMachine(account);
    check('an API key is accepted', await statuses('/me', key), all(200));

    const isRefusedInTime = async (credential: string): Promise<boolean> => {
      const deadline = performance.now() + REVOKED_WITHIN_MS;
      for (;;) {
        const began = performance.now();
        const seen = await statuses('/me', credential);
        if (Object.values(seen).every((status) => status === 401)) return began <= deadline;
        if (began > deadline) return false;
        await sleep(50);
      }
    };
    await revoke();
    check('a revoked API key is refused within 5 seconds', await isRefusedInTime(key), true);
    await account.client.session.signOut();
    check('a revoked session is refused within 5 seconds', await isRefusedInTime(token), true);
  },
};

function differences(expected: Verdicts, seen: Verdicts): string[] {
  const names = [...new Set([...Object.keys(expected), ...Object.keys(seen)])];
  return names.flatMap((name) => {
    const length = Math.max(expected[name]?.length ?? 0, seen[name]?.length ?? 0);
    return Array.from({ length }, (_, at) => at)
      .filter((at) => sorted(expected[name]?.[at]) !== sorted(seen[name]?.[at]))
      .map((at) => `${name} ${at}`);
  });
}

/** A verdict as text, whatever the order of its members. */
const sorted = (value: unknown): string =>
  JSON.stringify(value, (_, member: unknown) =>
    member && typeof member === 'object' && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([left], [right]) => left.localeCompare(right)))
      : member,
  ) ?? 'none';

async function untilAnswers(url: string, { hasEnded, output }: Started): Promise<void> {
  const deadline = performance.now() + START_TIMEOUT_MS;
  while (
    !(await fetch(url).then(
      () => true,
      () => false,
    ))
  ) {
    if (hasEnded() || performance.now() > deadline) throw new Error(`${url} does not answer:\n${output()}`);
    await sleep(50);
  }
}
