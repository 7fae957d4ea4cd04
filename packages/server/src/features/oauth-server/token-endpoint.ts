import { TokenError, TokenForm, TokenResponse } from '@gatehouse/contract';
import { pageOrigin } from '../../http/page-origin.ts';
import { type Feature, route } from '../../http/route.ts';
import { issueToken } from './issue-token.ts';
import type { TokenGrant } from './token-grant.ts';

/** The token endpoint. A feature that issues tokens adds its grants to the list in `app.ts`. */
export const tokenEndpoint = (grants: readonly TokenGrant[]): Feature => ({
  name: 'Token endpoint',
  routes: [
    route({
      id: 'issueToken',
      method: 'POST',
      path: '/oauth/token',
      atBase: true,
      admits: ['anyone'],
      summary: 'Exchange a credential for an access token',
      description:
        'The token endpoint of RFC 6749. The client authenticates by `Authorization: Basic` or by `client_id` and `client_secret` in the form, not by both.',
      body: TokenForm,
      bodyKind: 'parameters',
      responses: { 200: TokenResponse, 400: TokenError, 401: TokenError, 429: TokenError, 500: TokenError },
      errorFormat: 'oauth',
      handler: ({ deps, caller, body, request, reply }) => {
        reply.header('pragma', 'no-cache');
        return issueToken(grants, deps, caller, {
          authorization: request.headers.authorization,
          page_origin: pageOrigin(request),
          form: body as unknown as ReadonlyMap<string, string> | undefined,
        });
      },
    }),
  ],
});
