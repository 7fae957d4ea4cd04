import { html, type Markup, prose } from '@gatehouse/web';
import type { JsonSchema } from '../../http/openapi-document.ts';
import { breakable } from './code-view.ts';

interface Field {
  /** Path of the parent: `checks.`, `keys[].`; empty at the top level. */
  readonly parent: string;
  readonly name: string;
  readonly required: boolean;
  readonly description?: string | undefined;
  readonly schema: JsonSchema;
}

/** Tables of a request mark required fields, tables of a response mark optional ones. */
type Direction = 'request' | 'answer';

/** The possible schemas of a value, without null. */
const shapesOf = (schema: JsonSchema): readonly JsonSchema[] =>
  (schema.oneOf ?? schema.anyOf ?? [schema]).filter((branch) => branch.type !== 'null');

/** All fields of an object, each followed by its nested fields. For a union, the fields of all its shapes. */
export function fieldsOf(schema: JsonSchema, parent = ''): Field[] {
  const shapes = shapesOf(schema).map((shape) =>
    shape.items ? fieldsOf(shape.items, listParent(parent)) : ownFields(shape, parent),
  );
  return shapes.length === 1 ? shapes[0]! : mergeShapes(shapes);
}

/** A field is required if all shapes require it. If the schemas of a field differ, each of them is allowed. */
function mergeShapes(shapes: readonly Field[][]): Field[] {
  const places = new Map<string, Field[]>();
  for (const field of shapes.flat()) {
    const place = `${field.parent}${field.name}`;
    places.set(place, [...(places.get(place) ?? []), field]);
  }
  return [...places.values()].map((same) => {
    const kinds = new Map(same.map(({ schema }) => [JSON.stringify(schema), schema]));
    const schema = kinds.size === 1 ? same[0]!.schema : { anyOf: [...kinds.values()] };
    return { ...same[0]!, schema, required: same.length === shapes.length && same.every((field) => field.required) };
  });
}

const listParent = (parent: string): string => (parent === '' ? '[].' : `${parent.slice(0, -1)}[].`);

function ownFields({ properties = {}, required = [], additionalProperties }: JsonSchema, parent: string): Field[] {
  const named = Object.entries(properties).flatMap(([name, schema]): Field[] => [
    { parent, name, required: required.includes(name), description: schema.description, schema },
    ...fieldsOf(schema, `${parent}${name}.`),
  ]);
  if (typeof additionalProperties !== 'object') return named;
  return [...named, ...fieldsOf(additionalProperties, `${parent}*.`)];
}

export function shapeTables(caption: string, schema: JsonSchema, direction: Direction): Markup {
  const tables = shapesOf(schema).map((shape) => fieldTable(caption, fieldsOf(shape), direction));
  return html`${tables.map((table, index) => html`${index > 0 && html`<p class="or">or</p>\n`}${table}`)}`;
}

const fieldTable = (caption: string, fields: readonly Field[], direction: Direction): Markup =>
  html`<table>
<caption><span class="hidden">${caption}</span></caption>
<thead><tr><th scope="col"><span class="hidden">Field</span></th><th scope="col"><span class="hidden">Description</span></th></tr></thead>
<tbody>
${fields.map((field) => fieldRow(field, direction))}</tbody>
</table>
`;

function fieldRow({ parent, name, required, description, schema }: Field, direction: Direction): Markup {
  const note =
    direction === 'request'
      ? required && html` <span class="need">required</span>`
      : !required && html` <span class="faint">optional</span>`;
  return html`<tr><th scope="row"><code>${parent !== '' && html`<span class="parent">${breakable(parent)}</span><wbr>`}${breakable(name)}</code>${note}</th><td>${typeInWords(schema)}${description !== undefined && html`<br>${prose(description)}`}</td></tr>
`;
}

const FORMATS: Record<string, string> = {
  uuid: 'UUID',
  'date-time': 'RFC 3339 timestamp',
  text: 'one line of text',
  password: 'text, any characters',
  token: 'printable ASCII',
};

const literal = (value: unknown): Markup => html`<code class="value">${JSON.stringify(value)}</code>`;

const joined = (parts: readonly Markup[], separator: string): Markup =>
  html`${parts.map((part, index) => (index === 0 ? part : html`${separator}${part}`))}`;

/** `UUID`, `one line of text, 1 to 120 characters`, `"aal1" or "aal2"`, `list of objects`. */
export function typeInWords(schema: JsonSchema): Markup {
  if (schema.const !== undefined) return literal(schema.const);
  if (schema.enum) return joined(schema.enum.map(literal), ' or ');
  const choices = schema.oneOf ?? schema.anyOf;
  if (choices) return joined(choices.map(typeInWords), ' or ');
  if (isTypeList(schema.type))
    return joined(
      schema.type.map((type) => typeInWords({ ...bare(type, schema), type })),
      ' or ',
    );
  if (schema.type === 'array')
    return html`list of ${itemsInWords(schema.items ?? {})}${range(schema.minItems, schema.maxItems, 'items')}`;
  if (schema.type === 'string') {
    const length = range(schema.minLength, schema.maxLength, 'characters');
    const fallback = schema.default !== undefined && html`, by default ${literal(schema.default)}`;
    return html`${FORMATS[schema.format ?? ''] ?? schema.format ?? 'string'}${length}${schema.pattern !== undefined && html`, as <code>${schema.pattern}</code>`}${fallback}`;
  }
  if (schema.type === 'integer' || schema.type === 'number') {
    return html`${schema.type}${range(schema.minimum, schema.maximum, '')}${schema.default !== undefined && html`, by default ${literal(schema.default)}`}`;
  }
  if (schema.type === undefined) return html`any JSON`;
  return html`${schema.type}`;
}

const isTypeList = (type: JsonSchema['type']): type is readonly string[] => Array.isArray(type);

/** Null has no further properties. */
const bare = (type: string, schema: JsonSchema): JsonSchema => (type === 'null' ? {} : schema);

const itemsInWords = (items: JsonSchema): Markup =>
  items.type === 'object'
    ? html`objects`
    : items.type === 'string' && !items.format && !items.enum
      ? html`strings`
      : typeInWords(items);

function range(min: number | undefined, max: number | undefined, unit: string): string {
  const words =
    min === undefined
      ? max === undefined
        ? ''
        : `at most ${max}`
      : max === undefined
        ? `at least ${min}`
        : min === max
          ? `${min}`
          : `${min} to ${max}`;
  return words === '' ? '' : `, ${words} ${unit}`.trimEnd();
}
