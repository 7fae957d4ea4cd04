import { describe, expect, it } from 'vitest';
import { BRAND } from '../../../test/brand.ts';
import { buildOpenApi } from '../../http/openapi.ts';
import { SAMPLE_FEATURES } from '../../http/openapi-fixture.ts';
import { curlExample } from './curl.ts';
import { inlined } from './inline.ts';
import { renderReference } from './page.ts';
import { fieldsOf } from './schema-view.ts';

const baseUrl = 'https://id.example.com';
const document = buildOpenApi(SAMPLE_FEATURES, { prefix: '/v1', baseUrl, version: '1.2.3' });
const { html: page, style, script } = renderReference(document, BRAND);
const section = (id: string) => {
  const start = page.indexOf(`<article class="operation" id="${id}"`);
  return page.slice(start, page.indexOf('</article>', start));
};

describe('the reference page', () => {
  it('has a language, a title, landmarks, one h1 and headings without gaps', () => {
    expect(page).toContain('<html lang="en">');
    expect(page).toMatch(/<title>[^<]+<\/title>/);
    for (const landmark of ['<header', '<nav aria-label=', '<main']) expect(page.split(landmark)).toHaveLength(2);
    const levels = [...page.matchAll(/<h([1-6])/g)].map(([, level]) => Number(level));
    expect(levels.filter((level) => level === 1)).toHaveLength(1);
    levels.reduce((before, level) => {
      expect(level - before).toBeLessThanOrEqual(1);
      return level;
    }, 0);
  });

  it('has one script, one style sheet, no inline handlers or styles, and no external resources', () => {
    expect(page.replace(script, '')).not.toMatch(/\son\w+="|\sstyle="|javascript:|@import|url\(/i);
    expect([...page.matchAll(/<style>([\s\S]*?)<\/style>/g)].map(([, text]) => text)).toEqual([style]);
    expect([...page.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(([, text]) => text)).toEqual([script]);
    expect(page.split('<script')).toHaveLength(2);
    expect(page.match(/(src|href)="(?!\/[^/]|\/"|data:|#)[^"]*/g)).toBeNull();
  });

  it('shows and links every operation', () => {
    for (const item of Object.values(document.paths)) {
      for (const { operationId } of Object.values(item)) {
        expect(page).toContain(`<article class="operation" id="${operationId}"`);
        expect(page).toContain(`href="#${operationId}"`);
      }
    }
  });

  it('has unique ids, and a target for every internal link', () => {
    const ids = [...page.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const [, target] of page.matchAll(/href="#([^"]+)"/g)) expect(ids).toContain(target);
    for (const [, label] of page.matchAll(/aria-labelledby="([^"]+)"/g)) expect(ids).toContain(label);
  });

  it('escapes texts of routes', () => {
    expect(page).toContain('when &lt;the account&gt; &amp; its owner');
    expect(page).not.toContain('<the account>');
    expect(page).toContain('Members &amp; roles');
  });

  it('describes the format, length and allowed values of fields', () => {
    expect(page).toContain('text, any characters, 12 to 256 characters');
    expect(page).toContain(
      '<code class="value">&quot;owner&quot;</code> or <code class="value">&quot;admin&quot;</code>',
    );
  });

  it('has one table for each shape of a response', () => {
    expect(section('signIn').split('Fields of the response 200')).toHaveLength(3);
  });

  it('shows the fields of referenced schemas', () => {
    expect(document.paths['/v1/users/me']?.get?.responses[200]).toMatchObject({
      content: { 'application/json': { schema: { $ref: '#/components/schemas/User' } } },
    });
    const me = section('getOwnAccount').replaceAll('<wbr>', '');
    for (const field of ['has_password', 'memberships', 'organization_slug']) expect(me).toContain(field);
    expect(me).toContain('memberships[].');
    expect(page).not.toContain('#/components');
  });

  it('lists the errors of an endpoint; overload only where rate_limited applies', () => {
    expect(section('getOwnAccount').replaceAll('<wbr>', '')).toContain('<code>authentication_required</code>');
    expect(section('getOwnAccount')).not.toContain('limited');
    expect(section('signIn').replaceAll('<wbr>', '')).toContain('<code>rate_limited</code>');
  });
});

describe('fields', () => {
  it('are listed with their path, also inside lists and nullable objects', () => {
    const inner = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] };
    const schema = {
      type: 'object',
      properties: { list: { type: 'array', items: inner }, maybe: { anyOf: [inner, { type: 'null' }] } },
    };
    expect(fieldsOf(schema).map(({ parent, name }) => `${parent}${name}`)).toEqual([
      'list',
      'list[].a',
      'maybe',
      'maybe.a',
    ]);
  });

  it('of a union are required if all shapes require them', () => {
    const shape = (kind: string, more: object) => ({
      type: 'object',
      properties: { kind: { const: kind }, ...more },
      required: ['kind', ...Object.keys(more)],
    });
    const fields = fieldsOf({ anyOf: [shape('x', { only: { type: 'string' } }), shape('y', {})] });
    expect(fields.map(({ name, required }) => [name, required])).toEqual([
      ['kind', true],
      ['only', false],
    ]);
    expect(fields[0]?.schema).toEqual({ anyOf: [{ const: 'x' }, { const: 'y' }] });
  });
});

describe('the curl example', () => {
  const call = (method: string, path: string) =>
    curlExample({ baseUrl, method, path, operation: inlined(document).paths[path]![method]! });

  it('contains a body with the required fields', () => {
    expect(call('post', '/v1/auth/login')).toBe(
      [
        'curl -X POST https://id.example.com/v1/auth/login \\',
        "  -H 'Content-Type: application/json' \\",
        "  -d '{",
        '    "email": "ada@example.com",',
        '    "password": "correct horse battery staple"',
        "  }'",
      ].join('\n'),
    );
  });

  it('uses variables for values of the reader, and shows the status if there is no body', () => {
    expect(call('delete', '/v1/auth/sessions/{id}')).toBe(
      'curl -i -X DELETE "https://id.example.com/v1/auth/sessions/$ID" \\\n  -H "Authorization: Bearer $ACCESS_TOKEN"',
    );
    expect(call('get', '/v1/admin/audit-export')).toContain('audit-export?from=$FROM"');
  });
});
