import type { OpenApiDocument } from '../../http/openapi-document.ts';

/** Resolves all references in the document. Equal references become the same object. */
export function inlined(document: OpenApiDocument): OpenApiDocument<never> {
  const done = new Map<object, unknown>();
  const inline = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    const target = '$ref' in value ? follow(document, String(value.$ref)) : value;
    if (!done.has(target)) done.set(target, inlineParts(target));
    return done.get(target);
  };
  const inlineParts = (value: object): unknown =>
    Array.isArray(value)
      ? value.map(inline)
      : Object.fromEntries(Object.entries(value).map(([key, part]) => [key, inline(part)]));
  return inline(document) as OpenApiDocument<never>;
}

function follow(document: OpenApiDocument, reference: string): object {
  const target = reference
    .split('/')
    .slice(1)
    .reduce((at: unknown, key) => (at as Record<string, unknown> | undefined)?.[key], document);
  if (typeof target !== 'object' || target === null) throw new Error(`the document has no ${reference}`);
  return target;
}
