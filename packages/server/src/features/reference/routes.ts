import { Type } from 'typebox';
import type { Deps } from '../../domain/context.ts';
import { sendTagged, tagOf } from '../../http/etag.ts';
import { open } from '../../http/guards.ts';
import { buildOpenApi } from '../../http/openapi.ts';
import type { OpenApiDocument } from '../../http/openapi-document.ts';
import { sendPage } from '../../http/page.ts';
import { type Feature, route } from '../../http/route.ts';
import { renderReference } from './page.ts';
import { REFERENCE_STYLE } from './style.ts';

const CACHE = 'public, max-age=300';

const OpenApi = Type.Object({}, { additionalProperties: true, description: 'An OpenAPI 3.1 document' });

/**
 * The API reference as OpenAPI and as a page. The features are passed as a function, because this feature is one of
 * them. Document and page are built once, at the first request.
 */
export function reference(features: () => readonly Feature[], version: string): Feature {
  let described: Reference | undefined;
  const describe = ({ config }: Deps): Reference => {
    described ??= describeFeatures(features(), config, version);
    return described;
  };
  let page: string | undefined;
  const pageOf = (deps: Deps): string => {
    page ??= renderReference(describe(deps).document);
    return page;
  };
  return {
    name: 'Reference',
    routes: [
      route({
        method: 'GET',
        path: '/openapi.json',
        atBase: true,
        access: [open],
        summary: 'Get this reference as an OpenAPI 3.1 document',
        responses: { 200: OpenApi, 304: null },
        handler: ({ deps, request, reply }) => {
          const { json, etag } = describe(deps);
          return sendTagged({ request, reply }, { body: json, etag, cacheControl: CACHE });
        },
      }),
      route({
        method: 'GET',
        path: '/docs',
        atBase: true,
        access: [open],
        summary: 'Get this reference as a page',
        responses: { 200: null },
        produces: 'text/html',
        handler: ({ deps, reply }) =>
          sendPage(reply, { html: pageOf(deps), style: REFERENCE_STYLE, cacheControl: CACHE }),
      }),
    ],
  };
}

interface Reference {
  readonly document: OpenApiDocument;
  readonly json: string;
  readonly etag: string;
}

function describeFeatures(features: readonly Feature[], config: Deps['config'], version: string): Reference {
  const options = { prefix: config.ROUTE_PREFIX, baseUrl: config.PUBLIC_BASE_URL, version };
  const document = buildOpenApi(features, options);
  const json = JSON.stringify(document);
  return { document, json, etag: tagOf(json) };
}
