import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { listImages, PinFailure, pin } from '../../../deploy/pin.mjs';
import { deployed, readDockerfile, readYaml, root } from './deploy.ts';

const folder = mkdtempSync(join(tmpdir(), 'gh-pin-'));
const FILES = ['Dockerfile', 'compose.yaml'];
const contents = () => FILES.map((file) => readFileSync(join(folder, file), 'utf8'));

/** A fake Docker Hub. The manifest of an image contains its path and tag. */
const INDEX = 'application/vnd.oci.image.index.v1+json';
type Answer = (request: IncomingMessage, response: ServerResponse) => void;
let answer: Answer;
const registry = createServer((request, response) => answer(request, response));
await new Promise<void>((done) => registry.listen(0, '127.0.0.1', done));
const origin = `http://127.0.0.1:${(registry.address() as AddressInfo).port}`;
const origins = { 'docker.io': origin };

const manifestOf = (path: string) => `{"of":"${path}"}`;
const digestOf = (path: string) => `sha256:${createHash('sha256').update(manifestOf(path)).digest('hex')}`;
const honest: Answer = ({ url = '', headers }, response) => {
  const asked = new URL(url, origin);
  if (asked.pathname === '/token') {
    response.end(JSON.stringify({ token: `for ${asked.searchParams.get('scope')}` }));
    return;
  }
  const [, path] = /^\/v2\/(.+)\/manifests\/[^/]+$/.exec(asked.pathname)!;
  const scope = `repository:${path}:pull`;
  if (headers.authorization !== `Bearer for ${scope}`) {
    response.setHeader('www-authenticate', `Bearer realm="${origin}/token",service="hub",scope="${scope}"`);
    response.writeHead(401).end();
    return;
  }
  response.writeHead(200, { 'content-type': INDEX, 'docker-content-digest': digestOf(asked.pathname) });
  response.end(manifestOf(asked.pathname));
};

beforeEach(() => {
  answer = honest;
  for (const file of FILES) cpSync(join(root, 'deploy', file), join(folder, file));
});
afterAll(() => {
  registry.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('pin.mjs', () => {
  it('writes the digest of each image after its tag and changes nothing else', async () => {
    const before = contents();
    const tagged = listImages(folder).map(({ reference }) => reference.replace(/@.*/, ''));
    await pin(folder, origins);
    const expected = tagged.map((reference) => {
      const [, path, tag] = /^docker\.io\/(.+):(.+)$/.exec(reference)!;
      return `${reference}@${digestOf(`/v2/${path}/manifests/${tag}`)}`;
    });
    expect(listImages(folder).map(({ reference }) => reference)).toEqual(expected);
    const withoutDigests = (text: string) => text.replaceAll(/@sha256:[0-9a-f]{64}/g, '');
    expect(contents().map(withoutDigests)).toEqual(before.map(withoutDigests));
  });

  it('replaces an existing digest', async () => {
    await pin(folder, origins);
    const once = contents();
    answer = (request, response) => {
      if (!request.url!.startsWith('/v2/')) return honest(request, response);
      response.writeHead(200, { 'content-type': INDEX }).end('another');
    };
    await pin(folder, origins);
    expect(contents()).not.toEqual(once);
    answer = honest;
    await pin(folder, origins);
    expect(contents()).toEqual(once);
  });

  const faults: [string, Answer, string][] = [
    [
      'declares another digest than it sends',
      (_, to) => to.writeHead(200, { 'content-type': INDEX, 'docker-content-digest': 'sha256:0' }).end(),
      'declares sha256:0',
    ],
    [
      'sends a page',
      (_, to) => to.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
      'which is not a manifest',
    ],
    ['does not know the tag', (_, to) => to.writeHead(404).end(), 'answered 404'],
    [
      'requires a password',
      (_, to) => to.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end(),
      'requires a password',
    ],
    ['closes the connection', ({ socket }) => socket.destroy(), 'cannot be reached'],
  ];
  it.each(faults)('changes no file if the registry %s', async (_how, fault, message) => {
    const before = contents();
    // The registry fails only at the last image, after the others were resolved.
    answer = (request, response) =>
      request.url!.includes('caddy') ? fault(request, response) : honest(request, response);
    const failure = await pin(folder, origins).catch((error) => error);
    expect(failure).toBeInstanceOf(PinFailure);
    expect(failure.message).toContain(message);
    expect(contents()).toEqual(before);
  });
});

const dockerfile = readDockerfile(deployed('Dockerfile'));
const compose = readYaml(deployed('compose.yaml'));
const instructions = (keyword: string, stage?: string): string[] =>
  dockerfile
    .filter((line) => line.keyword === keyword && (stage === undefined || line.stage === stage))
    .map(({ rest }) => rest);

describe('the base images', () => {
  const command = instructions('RUN', 'build')[0]!;
  const build = (given: Record<string, string>) =>
    spawnSync('sh', ['-c', command], { env: { UNPINNED: 'no', ...given }, encoding: 'utf8' });
  const [tag, pinned] = ['node:24', `node:24@sha256:${'0'.repeat(64)}`];

  it('are named once each and can be replaced by a build argument', () => {
    const from = instructions('FROM').map((rest) => rest.split(' AS ')[0]!);
    const stages = instructions('FROM').map((rest) => rest.split(' AS ')[1]!);
    const outside = from.filter((name) => !stages.includes(name));
    expect(outside.map((name) => /^\$\{(\w+)\}$/.exec(name)?.[1])).toEqual(['NODE_IMAGE', 'DEBIAN_IMAGE']);
    const named = listImages(join(root, 'deploy')).map(({ file, reference }) => [file, reference.replace(/@.*/, '')]);
    expect(named).toEqual([
      ['Dockerfile', expect.stringMatching(/^docker\.io\/library\/node:\S+$/)],
      ['Dockerfile', expect.stringMatching(/^docker\.io\/library\/debian:\S+$/)],
      ['compose.yaml', compose.services.db.image.replace(/@.*/, '')],
      ['compose.yaml', compose.services.proxy.image.replace(/@.*/, '')],
    ]);
  });

  it('base images without digests are refused, unless UNPINNED=yes is set', () => {
    expect(build({ NODE_IMAGE: pinned, DEBIAN_IMAGE: pinned }).status).toBe(0);
    for (const [node, debian] of [
      [tag, tag],
      [tag, pinned],
      [pinned, tag],
    ] as const) {
      const { status, stderr } = build({ NODE_IMAGE: node, DEBIAN_IMAGE: debian });
      expect(status).toBe(1);
      expect(stderr).toContain('node deploy/pin.mjs');
    }
    expect(build({ NODE_IMAGE: tag, DEBIAN_IMAGE: tag, UNPINNED: 'yes' }).status).toBe(0);
    // The stage must declare these arguments: an ARG before the first FROM is not visible in a stage.
    expect(instructions('ARG', 'build')).toEqual(['NODE_IMAGE', 'DEBIAN_IMAGE', 'UNPINNED=no']);
  });
});
