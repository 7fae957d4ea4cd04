import type { JsonSchema } from '../../http/openapi-document.ts';

const BY_FORMAT: Record<string, string> = {
  uuid: '01928f6e-5c3a-7d44-9b1e-2f6a8c0d4e71',
  'date-time': '2026-03-14T09:26:53.589Z',
  password: 'correct horse battery staple',
};

const BY_NAME: Record<string, unknown> = {
  email: 'ada@example.com',
  code: '123456',
  token: 'the-token-of-the-mailed-link',
  display_name: 'Ada Lovelace',
  organization_name: 'Example',
  slug: 'example',
  organization_slug: 'example',
  locale: 'en',
  ip_address: '192.0.2.17',
  user_agent: 'curl/8.9.1',
  degraded: false,
  expires_in: 900,
  page_size: 25,
};

const UNKNOWN = '…';

interface Choice {
  /** Omits optional fields, unless there are no others. */
  readonly requiredOnly: boolean;
}

/** A readable example value for the schema. The schema's own `examples` and `default` take precedence. */
export function sampleOf(schema: JsonSchema, choice: Choice, name = ''): unknown {
  const given = schema.examples?.[0] ?? schema.default ?? schema.const ?? schema.enum?.[0];
  if (given !== undefined) return given;
  const choices = schema.oneOf ?? schema.anyOf;
  if (choices) return sampleOf(choices.find((shape) => shape.type !== 'null') ?? {}, choice, name);
  if (name in BY_NAME) return BY_NAME[name];
  switch ([schema.type].flat()[0]) {
    case 'object':
      return sampleObject(schema, choice);
    case 'array':
      return schema.items ? [sampleOf(schema.items, choice, name)] : [];
    case 'boolean':
      return true;
    case 'integer':
    case 'number':
      return Math.max(schema.minimum ?? 1, Math.min(1, schema.maximum ?? 1));
    case 'null':
      return null;
    default:
      return sampleText(schema, name);
  }
}

function sampleObject({ properties = {}, required = [] }: JsonSchema, choice: Choice): object {
  const fields = Object.entries(properties);
  const wanted = choice.requiredOnly ? fields.filter(([name]) => required.includes(name)) : fields;
  const shown = wanted.length > 0 ? wanted : fields;
  return Object.fromEntries(shown.map(([name, schema]) => [name, sampleOf(schema, choice, name)]));
}

function sampleText({ format, type }: JsonSchema, name: string): string {
  if ([type].flat().includes('string') && /(^|_)(url|uri)$/.test(name)) return 'https://id.example.com/…';
  return BY_FORMAT[format ?? ''] ?? UNKNOWN;
}
