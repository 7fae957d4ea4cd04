import { ERRORS, OAUTH_PROVIDERS, PROVIDERS, STEP_UPS } from '@gatehouse/contract';
import { NAMED_SCHEMAS } from '@gatehouse/contract/named-schemas';

interface Schema {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly description?: string;
}

/** Types that only the service itself or programs other than clients use. */
const NOT_FOR_CLIENTS =
  /^(OAuthCallbackQuery|OAuthFormPost|OAuthStartQuery|AccessTokenClaims|TokenType|Jwks?|DiscoveryDocument|Revocation|RevocationFeed|StaleRoles|Health|Token(Error|Form|Response|Parameter)|ProviderMetadata|UserinfoResponse|BearerError|Introspection)$/;

const LISTS: Readonly<Record<string, readonly string[]>> = {
  ErrorCode: Object.keys(ERRORS),
  StepUp: STEP_UPS,
  OAuthProvider: OAUTH_PROVIDERS,
  Provider: PROVIDERS,
};

const literals = (values: readonly unknown[]): string => values.map((value) => quoted(value)).join(' | ');
const quoted = (value: unknown): string => (typeof value === 'string' ? `'${value}'` : JSON.stringify(value));

const comment = (text: string | undefined, indent: string): string => (text ? `${indent}/** ${text} */\n` : '');

function typeOf(schema: Schema, indent: string): string {
  return NAMED_TYPES.get(schema) ?? structureOf(schema, indent);
}

function structureOf(schema: Schema, indent: string): string {
  if (schema.enum) return literals(schema.enum);
  if (schema.const !== undefined) return quoted(schema.const);
  if (schema.anyOf) return schema.anyOf.map((one) => typeOf(one, indent)).join(' | ');
  const kinds = [schema.type ?? 'unknown'].flat();
  return kinds.map((kind) => kindOf(kind, schema, indent)).join(' | ');
}

function kindOf(kind: string, schema: Schema, indent: string): string {
  if (kind === 'integer') return 'number';
  // On the wire a query is text, but a program has a number.
  if (kind === 'string') return schema.format === 'integer' ? 'string | number' : 'string';
  if (kind === 'array') return `Array<${schema.items ? typeOf(schema.items, indent) : 'unknown'}>`;
  if (kind === 'object') return objectOf(schema, indent);
  return kind;
}

function objectOf(schema: Schema, indent: string): string {
  const { properties, required = [], patternProperties } = schema;
  const [pattern] = Object.values(patternProperties ?? {});
  if (pattern) return `Record<string, ${typeOf(pattern, indent)}>`;
  if (!properties) return 'Record<string, unknown>';
  const inner = `${indent}  `;
  const lines = Object.entries(properties).map(([name, property]) => {
    const mark = required.includes(name) ? '' : '?';
    return `${comment(property.description, inner)}${inner}${name}${mark}: ${typeOf(property, inner)};\n`;
  });
  return lines.length > 0 ? `{\n${lines.join('')}${indent}}` : '{}';
}

const isText = ({ type, enum: choices }: Schema): boolean => type === 'string' && !choices;

/** Without named string schemas: their names stand for validation rules; in the SDK they are `string`. */
const NAMED_TYPES: ReadonlyMap<object, string> = new Map(
  [...NAMED_SCHEMAS].filter(([schema, name]) => !NOT_FOR_CLIENTS.test(name) && !isText(schema)),
);

export const typeNames = (): string[] => [...NAMED_TYPES.values()];

export function wireTypes(): string {
  const lists = Object.entries(LISTS).map(([name, values]) => `export type ${name} = ${literals(values)};\n`);
  const types = [...NAMED_TYPES].map(([schema, name]) => {
    const { description } = schema as Schema;
    const structure = structureOf(schema, '');
    const isObject = structure.startsWith('{');
    return `${comment(description, '')}export ${isObject ? `interface ${name} ${structure}` : `type ${name} = ${structure};`}\n`;
  });
  return ['// Made from the schemas of the service by wire.test.ts; do not edit.\n', ...lists, ...types].join('\n');
}
