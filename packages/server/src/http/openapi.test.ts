import { ERRORS } from '@gatehouse/contract';
import { describe, expect, it } from 'vitest';
import { buildOpenApi } from './openapi.ts';
import type { Operation, Parameter, Reference } from './openapi-document.ts';
import { SAMPLE_FEATURES } from './openapi-fixture.ts';

const options = { prefix: '/v1', baseUrl: 'https://id.example.com', version: '1.2.3' };
const document = buildOpenApi(SAMPLE_FEATURES, options);
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
);
const find = (id: string): Operation => operations.find(({ operation }) => operation.operationId === id)!.operation;
const named = (parameters: readonly (Parameter | Reference)[] | undefined) =>
  (parameters ?? []).filter((parameter): parameter is Parameter => 'name' in parameter);

/** Every object in the document. */
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

describe('the OpenAPI document', () => {
  it('is 3.1, names the server, and is plain JSON', () => {
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

  it('gives every operation an id of its own, one listed tag, a 2xx and error responses', () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toContain('post_auth_login');
    expect(ids).toContain('get_readyz');
    const tags = document.tags.map(({ name }) => name);
    for (const { operation } of operations) {
      expect(tags).toContain(operation.tags[0]);
      const statuses = Object.keys(operation.responses);
      expect(statuses.some((status) => status.startsWith('2'))).toBe(true);
      expect(statuses).toContain('500');
      for (const response of Object.values(operation.responses)) expect(response.description).not.toBe('');
    }
  });

  it('names under each error status the codes that have it', () => {
    for (const { operation } of operations) {
      for (const [status, response] of Object.entries(operation.responses)) {
        for (const code of response['x-error-codes'] ?? []) {
          expect(String(ERRORS[code].status)).toBe(status);
          expect(response.description).toContain(`\`${code}\``);
        }
      }
    }
  });

  it('leaves out HEAD and pages', () => {
    expect(Object.keys(document.paths['/readyz']!)).toEqual(['get']);
    expect(document.paths['/page']).toBeUndefined();
    expect(document.tags.map(({ name }) => name)).not.toContain('Pages');
  });

  it('follows the route prefix, which operation ids do not', () => {
    const other = buildOpenApi(SAMPLE_FEATURES, { ...options, prefix: '/api/id' });
    expect(other.paths['/api/id/auth/login']?.post?.operationId).toBe('post_auth_login');
    expect(other.paths['/readyz']).toBeDefined();
    expect(Object.keys(other.paths).filter((path) => path.startsWith('/v1'))).toEqual([]);
  });
});

describe('an operation', () => {
  it('open to anyone needs no credential, and tells of its limit', () => {
    const login = find('post_auth_login');
    expect(login.security).toEqual([]);
    expect(Object.keys(login.responses)).toEqual(['200', '400', '401', '403', '429', '500']);
    expect(login.responses[429]?.headers).toHaveProperty('Retry-After');
    expect(login.requestBody).toMatchObject({ required: true });
    expect(login.requestBody?.content['application/json']?.schema.required).toEqual(['email', 'password']);
  });

  it('with a body that may be anything never answers 400', () => {
    const forgot = find('post_auth_password_forgot');
    expect(forgot.requestBody?.required).toBe(false);
    expect(Object.keys(forgot.responses)).toEqual(['204', '500']);
    expect(forgot.responses[204]?.content).toBeUndefined();
  });

  it('that writes behind a session documents the CSRF header and its error', () => {
    const remove = find('delete_auth_sessions_id');
    expect(remove.security).toEqual([{ bearer: [] }, { cookie: [] }]);
    expect(remove.parameters).toContainEqual({ $ref: '#/components/parameters/Csrf' });
    expect(remove.responses[403]?.['x-error-codes']).toEqual(['csrf_failed']);
    expect(remove.responses[401]?.['x-error-codes']).toEqual(['authentication_required']);
    expect(remove.responses[404]?.['x-error-codes']).toEqual(['not_found']);
  });

  it('that reads behind a session does not', () => {
    const list = find('get_orgs_org_id_members');
    expect(named(list.parameters).map(({ name, in: place, required }) => [name, place, required])).toEqual([
      ['org_id', 'path', true],
      ['q', 'query', false],
      ['status', 'query', false],
    ]);
    expect(list.parameters).toHaveLength(3);
    expect(list.responses[403]?.['x-error-codes']).toEqual(['forbidden']);
  });

  it('says what each guard asks for', () => {
    const store = find('put_admin_integrations_provider');
    expect(store['x-access'].join('; ')).toMatch(/session.*`admin` or higher.*second factor.*5 minutes/);
    expect(store.responses[401]?.['x-error-codes']).toEqual(['authentication_required', 'mfa_required']);
    expect(store.responses[403]?.['x-error-codes']).toEqual(['forbidden', 'csrf_failed']);
    expect(find('get_admin_audit_export').responses[402]?.['x-error-codes']).toEqual(['payment_required']);
  });

  it('with a file asks for a form', () => {
    const upload = find('post_users_me_avatar');
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
    expect(upload.responses[400]?.['x-error-codes']).toEqual(['invalid_input']);
  });

  it('answers in the media type the route names', () => {
    expect(Object.keys(find('get_admin_audit_export').responses[200]?.content ?? {})).toEqual(['application/x-ndjson']);
  });

  it('keeps its own schema for a status', () => {
    expect(find('get_readyz').responses[503]?.content?.['application/json']?.schema).toMatchObject({ type: 'object' });
  });

  it('has schemas that generators read: enums with a type, records without patterns', () => {
    const member = find('patch_orgs_org_id_members_user_id').responses[200]?.content?.['application/json']?.schema;
    expect(member?.properties?.role).toEqual({ type: 'string', enum: ['owner', 'admin', 'member'] });
    expect(member?.properties?.metadata).toEqual({ type: 'object', additionalProperties: {} });
  });
});
