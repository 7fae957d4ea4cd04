// `node deploy/pin.mjs [--check]`: asks the registry for the digests of the images in Dockerfile and compose.yaml and
// writes them into these files, so that every build and every machine uses the same images. Run it again for security
// updates. Needs only Node. --check writes nothing, sends no request, and fails if an image has no digest.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where images are named. Each has `registry/path:tag`, with or without a digest. */
const FILES = {
  Dockerfile: /(?<=^ARG [A-Z]+_IMAGE=)\S+$/gm,
  'compose.yaml': /(?<=^ {4}image: )\S+[/]\S+$/gm,
};

const TYPES = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
];
const TIMEOUT_MS = 30_000;

const withoutDigest = (reference) => reference.replace(/@.*$/, '');
const isPinned = (reference) => /^[^@]+:[^@:/]+@sha256:[0-9a-f]{64}$/.test(reference);

export class PinFailure extends Error {}

export const listImages = (folder) =>
  Object.entries(FILES).flatMap(([file, pattern]) =>
    [...readFileSync(join(folder, file), 'utf8').matchAll(pattern)].map(([reference]) => ({ file, reference })),
  );

/** Writes the current digest of each tag, once all are known. Returns the references before and after. */
export async function pin(folder, origins = {}) {
  const images = listImages(folder);
  const changes = [];
  for (const { file, reference } of images) {
    const tagged = withoutDigest(reference);
    changes.push({ file, from: reference, to: `${tagged}@${await findDigest(tagged, origins)}` });
  }
  for (const [file, pattern] of Object.entries(FILES)) {
    const text = readFileSync(join(folder, file), 'utf8');
    const to = (reference) => changes.find((change) => change.file === file && change.from === reference).to;
    writeFileSync(join(folder, file), text.replace(pattern, to));
  }
  return changes;
}

/** The registry of Docker Hub has another host name. */
const ORIGINS = { 'docker.io': 'https://registry-1.docker.io' };

/** The digest is the SHA-256 of the manifest, computed here from what the registry sends, not taken from a header. */
async function findDigest(reference, origins) {
  const [, host, path, tag] = /^([^/]+)\/(.+):([^:/]+)$/.exec(reference) ?? [];
  if (tag === undefined) throw new PinFailure(`${reference} is not of the form registry/path:tag.`);
  const origin = { ...ORIGINS, ...origins }[host] ?? `https://${host}`;
  const address = `${origin}/v2/${path}/manifests/${tag}`;
  let answer = await get(address, { accept: TYPES.join(', ') });
  if (answer.status === 401) {
    const token = await fetchToken(reference, answer.headers.get('www-authenticate') ?? '', origin);
    answer = await get(address, { accept: TYPES.join(', '), authorization: `Bearer ${token}` });
  }
  if (answer.status !== 200) throw new PinFailure(`${reference}: ${origin} answered ${answer.status}.`);
  const type = answer.headers.get('content-type')?.split(';')[0];
  if (!TYPES.includes(type)) throw new PinFailure(`${reference}: ${origin} sent ${type}, which is not a manifest.`);
  const digest = `sha256:${createHash('sha256')
    .update(Buffer.from(await answer.arrayBuffer()))
    .digest('hex')}`;
  const declared = answer.headers.get('docker-content-digest');
  if (declared !== null && declared !== digest)
    throw new PinFailure(`${reference}: ${origin} declares ${declared}, but sent ${digest}.`);
  return digest;
}

/** Fetches a token for anonymous reading from the address that the registry names. */
async function fetchToken(reference, challenge, origin) {
  const given = Object.fromEntries([...challenge.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [name, value]));
  const isSafe =
    /^Bearer /i.test(challenge) && new URL(given.realm ?? 'none:', origin).protocol === new URL(origin).protocol;
  if (!isSafe) throw new PinFailure(`${reference}: ${origin} requires a password. Images must be public.`);
  const realm = new URL(given.realm);
  for (const name of ['service', 'scope']) if (given[name]) realm.searchParams.set(name, given[name]);
  const answer = await get(realm, {});
  if (answer.status !== 200) throw new PinFailure(`${reference}: ${realm.origin} answered ${answer.status}.`);
  const { token, access_token } = await answer.json();
  return token ?? access_token;
}

const get = (address, headers) =>
  fetch(address, { headers, signal: AbortSignal.timeout(TIMEOUT_MS) }).catch((error) => {
    const reason = error.cause?.code ?? error.message;
    throw new PinFailure(`${new URL(address).origin} cannot be reached (${reason}). No file was changed.`);
  });

function check(folder) {
  const loose = listImages(folder).filter(({ reference }) => !isPinned(reference));
  for (const { file, reference } of loose) console.error(`${file}: ${reference} has no digest`);
  if (loose.length > 0) console.error('Run: node deploy/pin.mjs');
  return loose.length === 0 ? 0 : 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [option, ...more] = process.argv.slice(2);
  const folder = import.meta.dirname;
  if (more.length > 0 || (option !== undefined && option !== '--check')) {
    console.error('Usage: node deploy/pin.mjs [--check]');
    process.exitCode = 2;
  } else if (option === '--check') {
    process.exitCode = check(folder);
  } else {
    try {
      for (const { file, to } of await pin(folder)) console.error(`${file}: ${to}`);
    } catch (error) {
      if (!(error instanceof PinFailure)) throw error;
      console.error(`✗ ${error.message}`);
      process.exitCode = 1;
    }
  }
}
