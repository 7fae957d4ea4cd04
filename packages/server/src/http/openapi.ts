import { STATUS_CODES } from 'node:http';
import { AccessTokenClaims, type ErrorCode } from '@gatehouse/contract';
import type { TSchema } from 'typebox';
import type { CookieName } from './cookies.ts';
import { accessErrors, accessInWords, comparesOrganization, securityOf, takesSession } from './openapi-access.ts';
import type {
  Content,
  JsonSchema,
  OpenApiDocument,
  Operation,
  Parameter,
  PathItem,
  Reference,
  Response,
} from './openapi-document.ts';
import { collectErrors, type ErrorResponses } from './openapi-errors.ts';
import { HEADERS, type HeaderName, headerReferences } from './openapi-headers.ts';
import { collectSchemas, type Schemas } from './openapi-schema.ts';
import { type BodyKind, type Feature, fullPath, mayBeLeftOut, type Route } from './route.ts';
import { isNeverShed } from './shedding.ts';

interface Options {
  readonly prefix: string;
  readonly baseUrl: string;
  readonly version: string;
  readonly name?: string;
}

const ACCESS_COOKIE: CookieName = 'service_at';
const REFRESH_COOKIE: CookieName = 'service_rt';
const CSRF_COOKIE: CookieName = 'service_csrf';

const PARAMETERS = {
  Csrf: {
    name: 'X-Service-CSRF',
    in: 'header',
    required: false,
    description: `The value of the \`${CSRF_COOKIE}\` cookie. Required if the session is sent as a cookie, not as a Bearer token.`,
    schema: { type: 'string' },
  },
  ShownUser: {
    name: 'X-Service-User',
    in: 'header',
    required: false,
    description:
      'For pages: the ID of the user that the page shows. A write with cookies is rejected if another user is signed in.',
    schema: { type: 'string', format: 'uuid' },
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    required: false,
    description: 'The `ETag` of the cached response.',
    schema: { type: 'string' },
  },
} as const satisfies Record<string, Parameter>;

const parameter = (name: keyof typeof PARAMETERS): Reference => ({ $ref: `#/components/parameters/${name}` });

/** Not in `info.summary`, which OpenAPI 3.0 and its tools do not have. */
export const SUMMARY = 'Self-hosted, multi-tenant identity and access service';

const DESCRIPTION = `${SUMMARY}. Every response that is not 2xx or 3xx has the body \`ErrorBody\`, except for \`/readyz\` and paths \
below \`/oauth\`; switch on \`error.code\`. Every response has \`X-Request-Id\`: yours, if you send a UUID. Any request may get 429 while the \
service is overloaded. Every path that supports GET supports HEAD too. Unknown fields in a request are ignored, and \
new fields may appear in responses.`;

interface Shared {
  readonly schemas: Schemas;
  readonly errors: ErrorResponses;
}

/** The routes as an OpenAPI 3.1 document, without HTML pages and HEAD. */
export function buildOpenApi(
  features: readonly Feature[],
  { prefix, baseUrl, version, name = 'Gatehouse' }: Options,
): OpenApiDocument {
  const schemas = collectSchemas();
  const shared = { schemas, errors: collectErrors(schemas) };
  const paths: Record<string, PathItem> = {};
  const tags = new Set<string>();
  for (const { name: tag, routes } of features) {
    for (const route of routes.filter(isListed)) {
      const path = fullPath(prefix, route).replace(/:(\w+)/g, '{$1}');
      paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(shared, tag, route) };
      tags.add(tag);
    }
  }
  // No endpoint returns the claims, but clients read them in access tokens.
  schemas.plain(AccessTokenClaims);
  return {
    openapi: '3.1.0',
    info: {
      title: `${name} API`,
      version,
      description: DESCRIPTION,
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    servers: [{ url: baseUrl }],
    tags: [...tags].map((name) => ({ name })),
    paths,
    components: {
      schemas: schemas.named(),
      responses: shared.errors.named(),
      parameters: PARAMETERS,
      headers: HEADERS,
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'An access token.' },
        cookie: {
          type: 'apiKey',
          in: 'cookie',
          name: ACCESS_COOKIE,
          description:
            'The access token as a cookie, which sign-in sets for browsers. Writes also require `X-Service-CSRF`.',
        },
        refresh: {
          type: 'apiKey',
          in: 'cookie',
          name: REFRESH_COOKIE,
          description:
            'The refresh token. Every use replaces it. The cookie is sent only to paths below the route prefix.',
        },
      },
    },
  };
}

const METHODS = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']);

const PAGE_TYPES = new Set(['text/html', 'text/javascript', 'image/svg+xml']);

export const isListed = ({ method, produces = '' }: Route): boolean => METHODS.has(method) && !PAGE_TYPES.has(produces);

function operation(shared: Shared, tag: string, route: Route): Operation {
  const { schemas } = shared;
  const csrf = takesSession(route) && route.method !== 'GET';
  const parameters = [
    ...pathParameters(schemas, route),
    ...queryParameters(schemas, route),
    ...(csrf ? [parameter('Csrf'), parameter('ShownUser')] : []),
    ...(isTagged(route) ? [parameter('IfNoneMatch')] : []),
  ];
  return {
    operationId: idOf(route),
    tags: [tag],
    summary: route.summary,
    ...(route.description !== undefined && { description: route.description }),
    security: securityOf(route),
    ...(parameters.length > 0 && { parameters }),
    ...(route.body && {
      requestBody: {
        required: isNeeded(route),
        content: { [MEDIA_TYPES[route.bodyKind] ?? 'application/json']: { schema: schemas.plain(route.body) } },
      },
    }),
    responses: {
      ...(isNeverShed(route.path) ? {} : shared.errors.overloaded()),
      ...shared.errors.of(errorCodes(shared, route, csrf)),
      ...(route.admits[0] === 'refresh' ? shared.errors.refreshRefused() : {}),
      // The route's own schema for a status takes precedence over the shared error body.
      ...ownResponses(schemas, route),
    },
    'x-access': accessInWords(route),
  };
}

/** Every endpoint of the service has an id: openapi-document.test.ts. Routes in other tests need none. */
const idOf = ({ id, method, path }: Route): string =>
  id ?? [method.toLowerCase(), ...path.split(/\W+/)].filter(Boolean).join('_');

const MEDIA_TYPES: Partial<Record<BodyKind, string>> = {
  form: 'application/x-www-form-urlencoded',
  parameters: 'application/x-www-form-urlencoded',
  pairs: 'application/x-www-form-urlencoded',
  multipart: 'multipart/form-data',
};

/** Kind `any` is never validated. */
const isValidated = ({ bodyKind }: Route): boolean => bodyKind !== 'any' && bodyKind !== 'none';

/** A form may be empty. */
const isNeeded = (route: Route): boolean => isValidated(route) && route.bodyKind !== 'form' && !mayBeLeftOut(route);

const isTagged = ({ responses }: Route): boolean => 304 in responses;

function pathParameters(schemas: Schemas, { path, params }: Route): Parameter[] {
  const properties = params ? (schemas.fields(params).properties ?? {}) : {};
  return [...path.matchAll(/:(\w+)/g)].map(([, name]) => {
    const { description, ...schema } = properties[name!] ?? { type: 'string' };
    return { name: name!, in: 'path', required: true, ...(description !== undefined && { description }), schema };
  });
}

function queryParameters(schemas: Schemas, { query }: Route): Parameter[] {
  if (!query) return [];
  const { properties = {}, required = [] } = schemas.fields(query);
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    ...(description !== undefined && { description }),
    schema,
  }));
}

/** Whether validation can fail: a field is required or constrained. */
const isConstrained = ({ properties = {}, required = [] }: JsonSchema): boolean =>
  required.length > 0 ||
  Object.values(properties).some(
    ({ description: _, ...schema }) => Object.keys(schema).length > 0 && !schema['x-lenient'],
  );

/** Whether a path parameter has a format that the value may not match. */
const mayBeMalformed = (schemas: Schemas, { params, ...route }: Route): boolean =>
  Object.entries((params && schemas.fields(params).properties) ?? {}).some(
    ([name, { description: _, type: __, ...form }]) =>
      Object.keys(form).length > 0 && !(name === 'org_id' && comparesOrganization(route)),
  );

function errorCodes({ schemas }: Shared, route: Route, csrf: boolean): ErrorCode[] {
  const validated = isValidated(route) || (route.query !== undefined && isConstrained(schemas.fields(route.query)));
  return [
    ...(validated ? (['invalid_input'] as const) : []),
    ...(mayBeMalformed(schemas, route) ? (['not_found'] as const) : []),
    ...accessErrors(route),
    ...(csrf ? (['csrf_failed'] as const) : []),
    ...(route.errors ?? []),
    'internal_error',
  ];
}

function ownResponses(schemas: Schemas, route: Route): Record<string, Response> {
  const entries = Object.entries(route.responses).map(([status, schema]): [string, Response] => {
    const content = responseContent(schemas, Number(status), schema, route.produces);
    const headers = headerReferences(headersOf(route, Number(status)));
    return [status, { description: STATUS_CODES[status] ?? status, headers, ...(content && { content }) }];
  });
  return Object.fromEntries(entries);
}

function headersOf(route: Route, status: number): HeaderName[] {
  const names: HeaderName[] = ['X-Request-Id'];
  if (isTagged(route) && (status === 200 || status === 304)) names.push('ETag');
  if (status > 300 && status < 400 && status !== 304) names.push('Location');
  if (status < 400 && status !== 304) names.push(...(route.sends ?? []));
  if (route.errorFormat === 'oauth' && (status === 401 || status === 403)) names.push('WWW-Authenticate');
  if (route.errorFormat === 'oauth' && status === 429) names.push('Retry-After');
  return names;
}

function responseContent(
  schemas: Schemas,
  status: number,
  schema: TSchema | null,
  produces: string | undefined,
): Content | undefined {
  if (schema) return { [status < 300 && produces ? produces : 'application/json']: { schema: schemas.plain(schema) } };
  return produces && status < 300 && status !== 204 ? { [produces]: { schema: bytesOf(produces) } } : undefined;
}

const bytesOf = (type: string): JsonSchema =>
  type.startsWith('image/') ? { type: 'string', format: 'binary' } : { type: 'string' };
