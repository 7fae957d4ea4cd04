import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestApp } from './harness.ts';
import { ROOT } from './sources.ts';

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** Returns the words of a name in lower case: `POST /v1/auth/sign-in`, `signIn` and `SIGN_IN` contain "sign in". */
export const wordsOf = (name: string): string =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll(/[^A-Za-z0-9]+/g, ' ')
    .trim()
    .toLowerCase();

/** Returns the properties of a schema with their owner, and the values of enumerations. */
function namesInSchema(owner: string, schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  if (Array.isArray(schema)) return schema.flatMap((part) => namesInSchema(owner, part));
  return Object.entries(schema).flatMap(([key, value]) => {
    if (['description', 'example', 'examples', 'default'].includes(key)) return [];
    if (key === 'enum' || key === 'const') return [value].flat().map((one) => `${owner} ${one}`);
    if (key !== 'properties') return namesInSchema(owner, value);
    return Object.entries(value as object).flatMap(([name, part]) => [
      `${owner} ${name}`,
      ...namesInSchema(`${owner} ${name}`, part),
    ]);
  });
}

/** Returns each field of a metadata document with each of its values. */
const namesInMetadata = (metadata: object): string[] =>
  Object.entries(metadata).flatMap(([key, value]) => [value].flat().map((one) => `${key} ${one}`));

/** Returns every name by which a capability of the service would be visible from outside. */
export async function namesOf(app: TestApp): Promise<string[]> {
  const fetchJson = async (url: string) => (await app.server.inject({ url })).json();
  const document = await fetchJson('/openapi.json');
  const operations = Object.entries<object>(document.paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method} ${path}`),
  );
  const packages = ['contract', 'server', 'web', 'client', 'verify'].flatMap((name) =>
    Object.keys(JSON.parse(read(`packages/${name}/package.json`)).dependencies ?? {}),
  );
  const table = read('docs/schema.sql').matchAll(/^create table (\w+) \(([\s\S]*?)^\)/gm);
  return [
    ...operations,
    ...Object.entries(document.components.schemas).flatMap(([name, schema]) => namesInSchema(name, schema)),
    ...namesInMetadata(await fetchJson('/oauth/.well-known/openid-configuration')),
    ...[...read('docs/configuration.md').matchAll(/^\| `([A-Z_]+)`/gm)].map((match) => match[1]!),
    ...[...table].flatMap(([, name, body]) =>
      [...body!.matchAll(/^ {2}(\w+) /gm)].map((column) => `${name} ${column[1]}`),
    ),
    ...readdirSync(join(ROOT, 'packages/server/src/cli/commands')).map((file) => `command ${file}`),
    ...packages,
  ].map(wordsOf);
}
