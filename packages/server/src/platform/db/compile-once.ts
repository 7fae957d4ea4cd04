import { CompiledQuery, type RawBuilder } from 'kysely';
import type { Db } from './connect.ts';

type Path = readonly string[];

const paths = new WeakMap<object, Path>();

/** Returns a proxy for the value at this path. Reading a property returns the placeholder of that property. */
function placeholder(path: Path): object {
  const get = (_: object, name: string | symbol) =>
    typeof name === 'string' ? placeholder([...path, name]) : undefined;
  const proxy = new Proxy({}, { get });
  paths.set(proxy, path);
  return proxy;
}

const valueAt = (values: unknown, path: Path): unknown =>
  path.reduce<unknown>((value, name) => (value as Record<string, unknown>)[name], values);

/**
 * Returns a function that executes a statement whose text is compiled once, for the most frequent requests. Otherwise
 * Kysely builds a new string for each execution, which must be hashed to find the prepared statement. `build` is called
 * once, with placeholders: it may only insert them and their properties as parameters.
 */
export function compileOnce<Values, Row>(build: (values: Values) => RawBuilder<Row>) {
  let compiled: { readonly text: string; readonly paths: readonly Path[] } | undefined;
  const compile = (db: Db) => {
    const { sql, parameters } = build(placeholder([]) as Values).compile(db.withoutPlugins());
    const pathOf = (parameter: unknown): Path => {
      const path = typeof parameter === 'object' && parameter !== null ? paths.get(parameter) : undefined;
      if (!path) throw new Error('a statement that is compiled once has a parameter that is no placeholder');
      return path;
    };
    return { text: sql, paths: parameters.map(pathOf) };
  };
  return async (db: Db, values: Values): Promise<Row[]> => {
    compiled ??= compile(db);
    const parameters = compiled.paths.map((path) => valueAt(values, path));
    return (await db.executeQuery<Row>(CompiledQuery.raw(compiled.text, parameters))).rows;
  };
}
