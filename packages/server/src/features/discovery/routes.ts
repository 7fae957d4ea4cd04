import { AccessTokenClaims, DiscoveryDocument, Jwks, LIMITS, RevocationFeed } from '@gatehouse/contract';
import { Type } from 'typebox';
import type { RenderedFeed } from '../../domain/sessions/feed/feed.ts';
import { deleteDeadSigningKeys } from '../../domain/signing-keys/queries.ts';
import { renderOnce, sendRendered, sendTagged } from '../../http/etag.ts';
import { type Feature, route } from '../../http/route.ts';
import { after } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/settings.ts';

const JWKS_PATH = '/.well-known/jwks.json';
const FEED_PATH = '/.well-known/service-revocations.json';

/** Describes the tokens of sessions. Applications have another issuer, with its own metadata: features/provider. */
const discoveryDocument = (config: Config): DiscoveryDocument => ({
  issuer: config.PUBLIC_BASE_URL,
  jwks_uri: `${config.PUBLIC_BASE_URL}${JWKS_PATH}`,
  id_token_signing_alg_values_supported: ['RS256'],
  subject_types_supported: ['public'],
  response_types_supported: [],
  claims_supported: Object.keys(AccessTokenClaims.properties),
  revocation_feed_uri: `${config.PUBLIC_BASE_URL}${FEED_PATH}`,
});

const feedDocument = ({ parts, etag }: RenderedFeed) => ({ body: parts, etag, cacheControl: 'no-cache' });

export const discovery: Feature = {
  name: 'Discovery',
  sweeps: [
    {
      name: 'signing keys',
      sweep: (db, now, limit) => deleteDeadSigningKeys(db, 'signing_keys', after(now, -7 * 86_400), limit),
    },
  ],
  gauges: ({ metrics, keys, clock }) => {
    const age = {
      name: 'gatehouse_signing_key_age_seconds',
      help: 'Age of the current signing key',
      across: 'max',
    } as const;
    metrics.gauge(age, () => {
      const current = keys.current();
      return current ? (clock.now().getTime() - current.signsFrom.getTime()) / 1000 : Number.NaN;
    });
  },
  routes: [
    route({
      id: 'getJwks',
      method: 'GET',
      path: JWKS_PATH,
      atBase: true,
      admits: ['anyone'],
      summary: 'Public signing keys',
      responses: { 200: Jwks, 304: null },
      handler: ({ deps, request, reply }) => {
        const jwks = deps.keys.jwks();
        return sendRendered({ request, reply }, jwks, () => jwks);
      },
      fast: ({ keys }) => {
        const source = keys.jwks();
        return { source, render: () => renderOnce(source, () => source) };
      },
    }),
    route({
      id: 'getDiscoveryDocument',
      method: 'GET',
      path: '/.well-known/openid-configuration',
      atBase: true,
      admits: ['anyone'],
      summary: 'Discovery document',
      responses: { 200: DiscoveryDocument, 304: null },
      handler: ({ deps: { config }, request, reply }) =>
        sendRendered({ request, reply }, config, () => discoveryDocument(config)),
    }),
    route({
      id: 'getRevocationFeed',
      method: 'GET',
      path: FEED_PATH,
      atBase: true,
      admits: ['anyone'],
      summary: 'List revoked sessions whose access tokens may still be valid',
      description: `Poll it every ${LIMITS.revocationFeed.maxAge} seconds with If-None-Match and, in \`after\`, the \`cursor\` of the last response. A response with \`partial: true\` lists only entries since then; it may repeat some and never omits one.`,
      query: Type.Object({
        after: Type.Optional(
          Type.String({
            format: 'text',
            description: 'A `cursor` of this feed. An unknown cursor gets the full feed.',
          }),
        ),
      }),
      responses: { 200: RevocationFeed, 304: null },
      handler: ({ deps, query, request, reply }) => {
        const send = (feed: RenderedFeed) => sendTagged({ request, reply }, feedDocument(feed));
        const feed = deps.revocations.read(query.after);
        return feed instanceof Promise ? feed.then(send) : send(feed);
      },
      fast: ({ revocations }) => {
        const source = revocations.known();
        return source && { source, render: () => feedDocument(source) };
      },
    }),
  ],
};
