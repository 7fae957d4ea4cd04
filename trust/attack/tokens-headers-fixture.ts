import { createPublicKey, randomUUID } from 'node:crypto';
import { forged, headerOf, type Json, mintedUnder, type Table } from './tokens-fixture.ts';

const KIDS: readonly unknown[] = [
  undefined,
  null,
  0,
  true,
  [],
  {},
  '',
  ' ',
  '../../../../dev/null',
  '/dev/null',
  'file:///dev/null',
  'https://evil.example/key',
  "' or '1'='1",
  "x' union select 'secret'--",
  '$(id)',
  '__proto__',
  'constructor',
  'toString',
  'k'.repeat(2000),
  randomUUID(),
];

export const keys: Table = (workshop) => {
  const { kid, foreign, published } = workshop;
  const jwk = { ...createPublicKey(foreign.rsa).export({ format: 'jwk' }), alg: 'RS256', use: 'sig' };
  const x5c = [createPublicKey(foreign.rsa).export({ type: 'spki', format: 'der' }).toString('base64')];
  const ownJwk = published.export({ format: 'jwk' });
  const near = [kid.toUpperCase(), kid.toLowerCase(), `${kid} `, `${kid}\0`, kid.slice(0, -1), `${kid}=`];
  const embedded: [string, Json][] = [
    ['another RSA key under our kid', {}],
    ['its own key as jwk', { jwk }],
    ['its own key as jwk, and no kid', { jwk, kid: undefined }],
    ['its own key as jwk, under its own kid', { jwk: { ...jwk, kid: 'mine' }, kid: 'mine' }],
    ['our modulus and another exponent as jwk', { jwk: { ...ownJwk, e: 'AQ' } }],
    ['jku', { jku: 'https://evil.example/jwks.json' }],
    ['jku of this machine', { jku: 'http://127.0.0.1/jwks.json', kid: 'mine' }],
    ['jku in a file', { jku: 'file:///etc/passwd', kid: 'mine' }],
    ['x5u', { x5u: 'https://evil.example/cert.pem' }],
    ['x5c', { x5c }],
    ['x5c, and no kid', { x5c, kid: undefined }],
    ['x5t', { x5t: 'AAAA', 'x5t#S256': 'AAAA' }],
  ];
  return [
    ...embedded.map(([name, header]) => ({ name, token: forged(workshop, header) })),
    ...[...KIDS, ...near, [kid], { kid }].flatMap((odd) => [
      { name: `kid ${JSON.stringify(odd)?.slice(0, 40)}, another key`, token: forged(workshop, { kid: odd }) },
      {
        name: `kid ${JSON.stringify(odd)?.slice(0, 40)}, our key`,
        token: mintedUnder(workshop, { ...headerOf(workshop), kid: odd }),
      },
    ]),
  ];
};

/** Tokens signed with the key of the service, with headers that the service never writes. */
export const headers: Table = (workshop) => {
  const usual = headerOf(workshop);
  const text = JSON.stringify(usual);
  const refusedByAll: [string, unknown][] = [
    ['crit exp', { ...usual, crit: ['exp'] }],
    ['crit b64', { ...usual, crit: ['b64'], b64: false }],
    ['an empty crit', { ...usual, crit: [] }],
    ['crit as text', { ...usual, crit: 'exp' }],
    ['crit null', { ...usual, crit: null }],
    ['a list', [usual]],
    ['a text', JSON.stringify(text)],
    ['null', 'null'],
    ['a number', '7'],
    ['no JSON', '{"alg":"RS256"'],
    ['nothing', ''],
    ['alg as a list', { ...usual, alg: ['RS256'] }],
  ];
  const others: [string, unknown][] = [
    ...[undefined, null, 'at+jwt', 'AT+JWT', 'jwt', 'refresh', 'mfa', 'JWE', 'application/jwt'].map(
      (typ): [string, unknown] => [`typ ${JSON.stringify(typ)}`, { ...usual, typ }],
    ),
    ['cty', { ...usual, cty: 'JWT' }],
    ['zip', { ...usual, zip: 'DEF' }],
    ['enc', { ...usual, enc: 'A256GCM' }],
    ['another order', { kid: workshop.kid, typ: 'JWT', alg: 'RS256' }],
    ['a space', ` ${text}`],
    ['a line break', `${text}\n`],
    ['alg twice', text.replace('{', '{"alg":"none",')],
    ['kid twice', text.replace('{', '{"kid":"mine",')],
    ['an escaped letter', text.replace('RS256', 'R\\u0053256')],
  ];
  return [
    ...refusedByAll.map(([name, header]) => ({ name: `header: ${name}`, token: mintedUnder(workshop, header) })),
    ...others.map(([name, header]) => ({
      name: `header: ${name}`,
      token: mintedUnder(workshop, header),
      onlyServers: true,
    })),
  ];
};
