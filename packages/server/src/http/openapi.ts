import { STATUS_CODES } from 'node:http';
import { ErrorBody, type ErrorCode } from '@gatehouse/contract';
import type { TSchema } from 'typebox';
import type { CookieName } from './cookies.ts';
import { accessErrors, accessInWords, securityOf, takesSession } from './openapi-access.ts';
import type { Content, OpenApiDocument, Operation, Parameter, PathItem, Response } from './openapi-document.ts';
import { errorResponses } from './openapi-errors.ts';
import { plainSchema } from './openapi-schema.ts';
import { type BodyKind, type Feature, fullPath, mayBeLeftOut, type Route } from './route.ts';

interface Options {
  readonly prefix: string;
  readonly baseUrl: string;
  readonly version: string;
}

const ACCESS_COOKIE: CookieName = 'service_at';
const REFRESH_COOKIE: CookieName = 'service_rt';
const CSRF_COOKIE: CookieName = 'service_csrf';

const CSRF: Parameter = {
  name: 'X-Service-CSRF',
  in: 'header',
  required: false,
  description: `The value of the \`${CSRF_COOKIE}\` cookie. Needed when the session comes by cookie, not with a Bearer token.`,
  schema: { type: 'string' },
};

const DESCRIPTION = `Every answer that is not 2xx or 3xx has the body \`Error\`, \`/readyz\` excepted; switch on \`error.code\`. \
Every answer carries \`X-Request-Id\`, yours when you send a UUID. Any request may be answered 429 while the service is \
overloaded. Unknown fields of a request are ignored, and new fields may appear in answers.`;

/** The routes as an OpenAPI 3.1 document. Pages for people are no part of the API, and HEAD goes without saying. */
export function buildOpenApi(features: readonly Feature[], { prefix, baseUrl, version }: Options): OpenApiDocument {
  const paths: Record<string, PathItem> = {};
  const tags = new Set<string>();
  for (const { name, routes } of features) {
    for (const route of routes.filter(isListed)) {
      const path = fullPath(prefix, route).replace(/:(\w+)/g, '{$1}');
      paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(name, route) };
      tags.add(name);
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Gatehouse API',
      version,
      summary: 'Self-hosted, multi-tenant identity and access service',
      description: DESCRIPTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: baseUrl }],
    tags: [...tags].map((name) => ({ name })),
    paths,
    components: {
      schemas: { Error: plainSchema(ErrorBody) },
      parameters: { Csrf: CSRF },
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'An access token.' },
        cookie: {
          type: 'apiKey',
          in: 'cookie',
          name: ACCESS_COOKIE,
          description: 'The same access token, as sign-in sets it for browsers. Writes need `X-Service-CSRF` too.',
        },
        refresh: {
          type: 'apiKey',
          in: 'cookie',
          name: REFRESH_COOKIE,
          description: 'The refresh token, which every use replaces. It is sent below the route prefix alone.',
        },
      },
    },
  };
}

const METHODS = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']);

/** What browsers load to show a page. */
const PAGE_TYPES = new Set(['text/html', 'text/javascript']);

const isListed = ({ method, produces = '' }: Route): boolean => METHODS.has(method) && !PAGE_TYPES.has(produces);

function operation(tag: string, route: Route): Operation {
  const csrf = takesSession(route.access) && route.method !== 'GET';
  const parameters = [...pathParameters(route), ...queryParameters(route), ...(csrf ? [CSRF_REFERENCE] : [])];
  return {
    operationId: [route.method.toLowerCase(), ...route.path.split(/\W+/)].filter(Boolean).join('_'),
    tags: [tag],
    summary: route.summary,
    ...(route.description !== undefined && { description: route.description }),
    security: securityOf(route.access),
    ...(parameters.length > 0 && { parameters }),
    ...(route.body && {
      requestBody: {
        required: isValidated(route) && !mayBeLeftOut(route),
        content: requestContent(route.body, route.bodyKind),
      },
    }),
    // The route's own schema for a status wins over the shared error body.
    responses: { ...errorResponses(errorCodes(route, csrf)), ...ownResponses(route) },
    'x-access': accessInWords(route.access),
  };
}

const CSRF_REFERENCE = { $ref: '#/components/parameters/Csrf' } as const;

const MEDIA_TYPES: Partial<Record<BodyKind, string>> = {
  form: 'application/x-www-form-urlencoded',
  multipart: 'multipart/form-data',
};

const requestContent = (body: TSchema, kind: BodyKind): Content => ({
  [MEDIA_TYPES[kind] ?? 'application/json']: { schema: plainSchema(body) },
});

/** A body that may be anything never fails. */
const isValidated = ({ bodyKind }: Route): boolean => bodyKind !== 'any' && bodyKind !== 'none';

function pathParameters({ path, params }: Route): Parameter[] {
  const properties = params ? (plainSchema(params).properties ?? {}) : {};
  return [...path.matchAll(/:(\w+)/g)].map(([, name]) => {
    const { description, ...schema } = properties[name!] ?? { type: 'string' };
    return { name: name!, in: 'path', required: true, ...(description !== undefined && { description }), schema };
  });
}

function queryParameters({ query }: Route): Parameter[] {
  if (!query) return [];
  const { properties = {}, required = [] } = plainSchema(query);
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    ...(description !== undefined && { description }),
    schema,
  }));
}

/** Something in it can be wrong: it is not all optional and without a form. */
const isPicky = (query: TSchema): boolean => {
  const { properties = {}, required = [] } = plainSchema(query);
  return (
    required.length > 0 ||
    Object.values(properties).some(({ description: _, ...schema }) => Object.keys(schema).length > 0)
  );
};

/** From the guards, from validation, from the route itself. */
function errorCodes(route: Route, csrf: boolean): ErrorCode[] {
  const validated = isValidated(route) || (route.query !== undefined && isPicky(route.query));
  return [
    ...(validated ? (['invalid_input'] as const) : []),
    ...(route.params ? (['not_found'] as const) : []),
    ...accessErrors(route.access),
    ...(csrf ? (['csrf_failed'] as const) : []),
    ...(route.errors ?? []),
    'internal_error',
  ];
}

function ownResponses({ responses, produces }: Route): Record<string, Response> {
  const entries = Object.entries(responses).map(([status, schema]): [string, Response] => {
    const content = responseContent(Number(status), schema, produces);
    return [status, { description: STATUS_CODES[status] ?? status, ...(content && { content }) }];
  });
  return Object.fromEntries(entries);
}

function responseContent(status: number, schema: TSchema | null, produces: string | undefined): Content | undefined {
  if (schema) return { [status < 300 && produces ? produces : 'application/json']: { schema: plainSchema(schema) } };
  return produces && status < 300 && status !== 204 ? { [produces]: { schema: { type: 'string' } } } : undefined;
}
