import { Type } from 'typebox';
import type { Deps } from '../../domain/context.ts';
import { brandOf } from '../../http/brand.ts';
import { type Compressed, createCompressed } from '../../http/compressed.ts';
import { sendTagged, tagOf } from '../../http/etag.ts';
import { buildOpenApi } from '../../http/openapi.ts';
import type { OpenApiDocument } from '../../http/openapi-document.ts';
import { sendPage } from '../../http/page.ts';
import { type Feature, route } from '../../http/route.ts';
import { renderReference } from './page.ts';

const CACHE = 'public, max-age=300';

const OpenApi = Type.Object({}, { additionalProperties: true, description: 'An OpenAPI 3.1 document' });

/** The features are passed as a function, because this feature is one of them. Built once, at the first request. */
export function reference(features: () => readonly Feature[], version: string): Feature {
  let described: Reference | undefined;
  const describe = ({ config }: Deps): Reference => {
    described ??= describeFeatures(features(), config, version);
    return described;
  };
  let page: ReferencePage | undefined;
  const pageOf = (deps: Deps): ReferencePage => {
    page ??= renderPage(describe(deps).document, deps.config);
    return page;
  };
  return {
    name: 'Reference',
    routes: [
      route({
        id: 'getOpenApi',
        method: 'GET',
        path: '/openapi.json',
        atBase: true,
        admits: ['anyone'],
        summary: 'Get this reference as an OpenAPI 3.1 document',
        responses: { 200: OpenApi, 304: null },
        handler: async ({ deps, request, reply }) => {
          const { json, tag } = describe(deps);
          const { body, suffix } = await json({ request, reply });
          return sendTagged({ request, reply }, { body, etag: `"${tag}${suffix}"`, cacheControl: CACHE });
        },
      }),
      route({
        method: 'GET',
        path: '/docs',
        atBase: true,
        admits: ['anyone'],
        summary: 'Get this reference as a page',
        responses: { 200: null },
        produces: 'text/html',
        handler: async ({ deps, request, reply }) => {
          const { text, style, script } = pageOf(deps);
          const { body } = await text({ request, reply });
          return sendPage(reply, { html: body, style, script, cacheControl: CACHE });
        },
      }),
    ],
  };
}

interface Reference {
  readonly document: OpenApiDocument;
  readonly json: Compressed;
  readonly tag: string;
}

interface ReferencePage {
  readonly text: Compressed;
  readonly style: string;
  readonly script: string;
}

function renderPage(document: OpenApiDocument, config: Deps['config']): ReferencePage {
  const { html, ...rest } = renderReference(document, brandOf(config));
  return { text: createCompressed(html), ...rest };
}

function describeFeatures(features: readonly Feature[], config: Deps['config'], version: string): Reference {
  const options = { prefix: config.ROUTE_PREFIX, baseUrl: config.PUBLIC_BASE_URL, version, name: config.BRAND_NAME };
  const document = buildOpenApi(features, options);
  const json = JSON.stringify(document);
  return { document, json: createCompressed(json), tag: tagOf(json).slice(1, -1) };
}
