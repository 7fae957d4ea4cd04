import { join } from 'node:path';
import { startNode } from '../bench/start-process.ts';
import { freePort } from '../packages/server/test/ports.ts';
import { startWithApplication } from './application.ts';
import { type Agent, createAgent, decodeToken, type Side } from './oracle-agent.ts';
import { AUTHORIZATION, TOKEN } from './oracle-requests.ts';
import { installNpm, type Proof } from './proof.ts';

const CALLBACK = 'https://wiki.example.com/callback';
const RESOURCE = 'https://api.example.com/';

async function startBoth(): Promise<{ ours: Agent; theirs: Agent }> {
  const folder = await installNpm('oidc-provider@9');
  const { issuer, application, secret, url } = await startWithApplication({
    kind: 'web',
    redirect_uris: [CALLBACK],
    resources: [RESOURCE],
    scopes: ['openid', 'profile', 'email', 'offline_access'],
  });
  const port = await freePort();
  const env = {
    PORT: String(port),
    MODULE: join(folder, 'node_modules/oidc-provider/lib/index.js'),
    CLIENT_ID: application.client_id,
    CLIENT_SECRET: secret,
    REDIRECT_URI: CALLBACK,
    RESOURCE,
  };
  await startNode([join(import.meta.dirname, 'oracle-provider.mjs')], { env }).announced;
  const shared = { client_id: application.client_id, secret, redirect_uri: CALLBACK };
  const base = `http://127.0.0.1:${port}`;
  const oracle: Side = {
    ...shared,
    issuer: base,
    authorize: `${base}/auth`,
    token: `${base}/token`,
    userinfo: `${base}/me`,
    introspect: `${base}/token/introspection`,
    revoke: `${base}/token/revocation`,
  };
  const gatehouse: Side = {
    ...shared,
    issuer,
    authorize: `${issuer}/authorize`,
    token: `${issuer}/token`,
    userinfo: `${issuer}/userinfo`,
    introspect: `${issuer}/introspect`,
    revoke: `${issuer}/revoke`,
    service: { url },
  };
  return { ours: createAgent(gatehouse), theirs: createAgent(oracle) };
}

/** Returns the names of the members that `other` has and `from` lacks, sorted. */
const missing = (from: object, other: object): string[] =>
  Object.keys(other)
    .filter((name) => !(name in from))
    .sort();

export const proof: Proof = {
  about: 'the same requests to the service and to oidc-provider: status, errors, headers and claims',
  async run({ check }) {
    const { ours, theirs } = await startBoth();
    /** Checks that both responses are equal or, with `known`, that they differ as expected. */
    const compare = (name: string, [own, other]: readonly [unknown, unknown], known?: readonly [unknown, string]) => {
      const [seen, oracle] = [JSON.stringify(own), JSON.stringify(other)];
      if (!known) return check(name, own, other);
      check(`${name} differs (theirs: ${oracle}): ${known[1]}`, [own, seen !== oracle], [known[0], true]);
    };

    for (const { name, params, differs } of AUTHORIZATION) {
      compare(
        `authorize ${name}`,
        [await ours.authorizationError(params), await theirs.authorizationError(params)],
        differs,
      );
    }
    for (const { name, form, authorization, differs } of TOKEN) {
      compare(
        `token ${name}`,
        [await ours.tokenError(form, authorization), await theirs.tokenError(form, authorization)],
        differs,
      );
    }

    const scope = 'openid email offline_access';
    const [own, other] = [await ours.tokens({ scope }), await theirs.tokens({ scope })];
    check('exchange: status, type and scope', own.shape, other.shape);
    compare('exchange: members of the response', [Object.keys(own.body).sort(), Object.keys(other.body).sort()]);
    const [ownId, otherId] = [decodeToken(own.body.id_token), decodeToken(other.body.id_token)];
    check('ID token: algorithm', ownId.header.alg, otherId.header.alg);
    check(
      'ID token: nonce, at_hash, auth_time, sid',
      missing(ownId.claims, { nonce: 1, at_hash: 1, auth_time: 1, sid: 1 }),
      [],
    );
    check('ID token: claims of the oracle that are missing', missing(ownId.claims, otherId.claims), []);

    const info = async (agent: Agent, token: string) => agent.userinfo(token);
    check(
      'userinfo: members',
      Object.keys((await info(ours, own.body.access_token)).body).sort(),
      Object.keys((await info(theirs, other.body.access_token)).body).sort(),
    );

    for (const [name, form] of [
      ['with another verifier', { code_verifier: 'x'.repeat(43) }],
      ['with another redirect URI', { redirect_uri: 'https://evil.example/' }],
    ] as const) {
      compare(`exchange ${name}`, [await ours.exchangeError(form), await theirs.exchangeError(form)]);
    }
    compare('a refresh token for more scopes', [
      await ours.tokenError({
        grant_type: 'refresh_token',
        refresh_token: own.body.refresh_token,
        scope: `${scope} profile`,
      }),
      await theirs.tokenError({
        grant_type: 'refresh_token',
        refresh_token: other.body.refresh_token,
        scope: `${scope} profile`,
      }),
    ]);
    compare('a code twice', [await ours.replayCode(), await theirs.replayCode()]);
    compare(
      'a refresh token twice',
      [await ours.replayRefresh(), await theirs.replayRefresh()],
      [
        [
          [400, 'invalid_grant'],
          [200, null],
        ],
        'a repetition within ten seconds is a race of the client (decision 15); later it ends the grant here too',
      ],
    );

    const resource = { scope, resource: RESOURCE };
    const [ownJwt, otherJwt] = [await ours.tokens(resource), await theirs.tokens(resource)].map(({ body }) =>
      decodeToken(body.access_token),
    ) as [ReturnType<typeof decodeToken>, ReturnType<typeof decodeToken>];
    check(
      'access token for a resource: type, algorithm',
      [ownJwt.header.typ, ownJwt.header.alg],
      ['at+jwt', otherJwt.header.alg],
    );
    check('access token for a resource: audience', ownJwt.claims.aud, otherJwt.claims.aud);
    check(
      'access token for a resource: claims of the oracle that are missing',
      missing(ownJwt.claims, otherJwt.claims),
      [],
    );

    compare('userinfo with an unknown token', [
      (await info(ours, 'unknown')).error,
      (await info(theirs, 'unknown')).error,
    ]);
    compare('introspection of an unknown token', [
      await ours.introspect('unknown'),
      await theirs.introspect('unknown'),
    ]);
    compare('revocation of an unknown token', [await ours.revoke('unknown'), await theirs.revoke('unknown')]);
    compare('revocation without a token', [await ours.revoke(undefined), await theirs.revoke(undefined)]);
  },
};
