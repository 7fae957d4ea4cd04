import { ERRORS } from '@gatehouse/contract';
import { describe, expect, it } from 'vitest';
import { buildOpenApi } from './openapi.ts';
import type { Operation, Parameter, Reference, Response } from './openapi-document.ts';
import { SAMPLE_FEATURES } from './openapi-fixture.ts';

const options = { prefix: '/v1', baseUrl: 'https://id.example.com', version: '1.2.3' };
const document = buildOpenApi(SAMPLE_FEATURES, options);
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
);
const find = (id: string): Operation => operations.find(({ operation }) => operation.operationId === id)!.operation;
const named = (parameters: readonly (Parameter | Reference)[] | undefined) =>
  (parameters ?? []).filter((parameter): parameter is Parameter => 'name' in parameter);

function* objectsIn(value: unknown): Generator<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield value as Record<string, unknown>;
  for (const inner of Object.values(value)) yield* objectsIn(inner);
}

const follow = (pointer: string): unknown =>
  pointer
    .split('/')
    .slice(1)
    .reduce((at: unknown, key) => (at as Record<string, unknown>)?.[key], document);

const response = (operation: Operation, status: number): Response | undefined => {
  const listed = operation.responses[status];
  return listed && '$ref' in listed ? (follow(listed.$ref) as Response) : listed;
};

describe('the OpenAPI document', () => {
  it('the document is 3.1, names the server, and is plain JSON', () => {
    expect(document).toMatchObject({
      openapi: '3.1.0',
      info: { version: '1.2.3' },
      servers: [{ url: options.baseUrl }],
    });
    expect(JSON.parse(JSON.stringify(document))).toEqual(document);
    for (const object of objectsIn(document))
      expect(Object.keys(object).filter((key) => key.startsWith('~'))).toEqual([]);
  });

  it('resolves every reference', () => {
    const references = [...objectsIn(document)].map((object) => object.$ref).filter((ref) => ref !== undefined);
    expect(references.length).toBeGreaterThan(5);
    for (const reference of references) expect(follow(String(reference)), String(reference)).toBeTypeOf('object');
  });

  it('declares every parameter of a path, once', () => {
    for (const { path, operation } of operations) {
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      const declared = named(operation.parameters).filter((parameter) => parameter.in === 'path');
      expect(declared.map(({ name }) => name)).toEqual(inPath);
      expect(declared.every(({ required }) => required)).toBe(true);
    }
    expect(Object.keys(document.paths).join()).not.toContain(':');
  });

  it('gives every operation a unique id, one listed tag, a successful response, and errors', () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toContain('signIn');
    expect(ids).toContain('getReadiness');
    const tags = document.tags.map(({ name }) => name);
    for (const { operation } of operations) {
      expect(tags).toContain(operation.tags[0]);
      const statuses = Object.keys(operation.responses);
      expect(statuses.some((status) => /^[23]/.test(status))).toBe(true);
      expect(statuses).toContain('500');
      for (const status of statuses) expect(response(operation, Number(status))?.description).not.toBe('');
    }
  });

  it('lists the error codes of each error status', () => {
    for (const { operation } of operations) {
      for (const status of Object.keys(operation.responses)) {
        const { description = '', 'x-error-codes': codes = [] } = response(operation, Number(status)) ?? {};
        for (const code of codes) {
          expect(String(ERRORS[code].status)).toBe(status);
          expect(description).toContain(`\`${code}\``);
        }
      }
    }
  });

  it('omits HEAD and HTML pages', () => {
    expect(Object.keys(document.paths['/readyz']!)).toEqual(['get']);
    expect(document.paths['/page']).toBeUndefined();
    expect(document.tags.map(({ name }) => name)).not.toContain('Pages');
  });

  it('has the route prefix in paths, but not in operation ids', () => {
    const other = buildOpenApi(SAMPLE_FEATURES, { ...options, prefix: '/api/id' });
    expect(other.paths['/api/id/auth/login']?.post?.operationId).toBe('signIn');
    expect(other.paths['/readyz']).toBeDefined();
    expect(Object.keys(other.paths).filter((path) => path.startsWith('/v1'))).toEqual([]);
  });
});

describe('an operation', () => {
  it('without authentication needs no credential, and documents its limit', () => {
    const login = find('signIn');
    expect(login.security).toEqual([]);
    expect(Object.keys(login.responses)).toEqual(['200', '400', '401', '403', '429', '500']);
    expect(response(login, 429)?.headers).toHaveProperty('Retry-After');
    expect(login.requestBody).toMatchObject({ required: true });
    expect(login.requestBody?.content['application/json']?.schema.required).toEqual(['email', 'password']);
  });

  it('with a body of any kind has no 400', () => {
    const forgot = find('requestPasswordReset');
    expect(forgot.requestBody?.required).toBe(false);
    expect(Object.keys(forgot.responses)).toEqual(['204', '429', '500']);
    expect(response(forgot, 204)?.content).toBeUndefined();
  });

  it('that writes behind a session documents the CSRF header and its error', () => {
    const remove = find('endSession');
    expect(remove.security).toEqual([{ bearer: [] }, { cookie: [] }]);
    expect(remove.parameters).toContainEqual({ $ref: '#/components/parameters/Csrf' });
    expect(remove.parameters).toContainEqual({ $ref: '#/components/parameters/ShownUser' });
    expect(response(remove, 403)?.['x-error-codes']).toEqual(['forbidden', 'csrf_failed']);
    expect(response(remove, 401)?.['x-error-codes']).toEqual(['authentication_required']);
    expect(response(remove, 404)?.['x-error-codes']).toEqual(['not_found']);
  });

  it('that reads with a session has no CSRF header', () => {
    const list = find('listMembers');
    expect(named(list.parameters).map(({ name, in: place, required }) => [name, place, required])).toEqual([
      ['org_id', 'path', true],
      ['q', 'query', false],
      ['status', 'query', false],
    ]);
    expect(list.parameters).toHaveLength(3);
    expect(response(list, 403)?.['x-error-codes']).toEqual(['forbidden']);
    // A request for another organization gets 403, whether that organization exists or not.
    expect(list.responses[404]).toBeUndefined();
  });

  it('describes each of its guards', () => {
    const store = find('setProvider');
    expect(store['x-access'].join('; ')).toMatch(/session.*`admin` or higher.*second factor.*5 minutes/);
    expect(response(store, 401)?.['x-error-codes']).toEqual(['authentication_required', 'mfa_required']);
    expect(response(store, 403)?.['x-error-codes']).toEqual(['forbidden', 'csrf_failed']);
    expect(response(find('exportAuditEvents'), 402)?.['x-error-codes']).toEqual(['payment_required']);
  });

  it('with a file has a multipart body', () => {
    const upload = find('uploadAvatar');
    expect(upload.requestBody).toEqual({
      required: true,
      content: {
        'multipart/form-data': {
          schema: {
            type: 'object',
            required: ['avatar'],
            properties: {
              avatar: { type: 'string', format: 'binary', description: 'A picture.', 'x-max-bytes': 1000 },
            },
          },
        },
      },
    });
    expect(response(upload, 400)?.['x-error-codes']).toEqual(['invalid_input']);
  });

  it('has the media type of the route', () => {
    expect(Object.keys(response(find('exportAuditEvents'), 200)?.content ?? {})).toEqual(['application/x-ndjson']);
  });

  it("uses the route's own schema for a status", () => {
    expect(response(find('getReadiness'), 503)?.content?.['application/json']?.schema).toMatchObject({
      type: 'object',
    });
  });

  it('has schemas for generators: enums with a type, records without patterns', () => {
    const member = response(find('changeMemberRole'), 200)?.content?.['application/json']?.schema;
    expect(member?.properties?.role).toEqual({ type: 'string', enum: ['owner', 'admin', 'member'] });
    expect(member?.properties?.locale).toEqual({ type: ['string', 'null'], enum: ['en', 'de', null] });
    expect(member?.properties?.metadata).toEqual({ type: 'object', additionalProperties: {} });
  });

  it('references named schemas and inlines others', () => {
    const member = response(find('getOwnAccount'), 200)?.content?.['application/json']?.schema;
    expect(member).toEqual({ $ref: '#/components/schemas/User' });
    const { User, Membership } = document.components.schemas;
    expect(User?.properties?.memberships).toEqual({
      type: 'array',
      items: { $ref: '#/components/schemas/Membership' },
    });
    expect(Membership?.properties?.organization_id).toEqual({ type: 'string', format: 'uuid' });
    expect(Object.keys(document.components.schemas)).toEqual([
      'Aal',
      'AccessTokenClaims',
      'AnyAuthMethod',
      'ErrorBody',
      'Membership',
      'TokenType',
      'User',
    ]);
  });

  it('documents response headers for clients', () => {
    const headers = (id: string, status: number) => Object.keys(response(find(id), status)?.headers ?? {});
    expect(headers('signIn', 200)).toEqual(['X-Request-Id', 'Set-Cookie']);
    expect(headers('signIn', 401)).toEqual(['X-Request-Id']);
    expect(headers('getOwnAccount', 200)).toEqual(['X-Request-Id', 'ETag']);
    expect(headers('getOwnAccount', 304)).toEqual(['X-Request-Id', 'ETag']);
    expect(headers('startElsewhere', 302)).toEqual(['X-Request-Id', 'Location']);
    expect(find('getOwnAccount').parameters).toEqual([{ $ref: '#/components/parameters/IfNoneMatch' }]);
  });

  it('documents 429 under overload, unless its requests are never shed', () => {
    expect(find('startElsewhere').responses[429]).toEqual({ $ref: '#/components/responses/Overloaded' });
    expect(find('signIn').responses[429]).toEqual({ $ref: '#/components/responses/RateLimited' });
    for (const id of ['getHealth', 'getReadiness']) {
      expect(find(id).responses[429]).toBeUndefined();
    }
  });

  it('with an optional session accepts either credential or none', () => {
    expect(find('signOut').security).toEqual([{ bearer: [] }, { cookie: [] }, {}]);
  });

  it('documents whether its body is required', () => {
    expect(find('signOut').requestBody?.required).toBe(false);
    expect(find('verifyCode').requestBody?.required).toBe(true);
  });
});
