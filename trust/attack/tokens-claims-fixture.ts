import { randomUUID } from 'node:crypto';
import { assemble, forged, headerOf, type Json, minted, rs256, type Table } from './tokens-fixture.ts';

const OF_EACH: readonly unknown[] = [undefined, null, 7, true, '', [], {}];

/** Tokens signed with the key of the service, with claims that the service never writes. */
export const claims: Table = (workshop) => {
  const { claims: usual, victim, forger } = workshop;
  const iat = usual.iat as number;
  const odd = (claim: string, values: readonly unknown[]): [string, Json][] =>
    values.map((value) => [`${claim} ${JSON.stringify(value)?.slice(0, 40)}`, { [claim]: value }]);
  const table: [string, Json][] = [
    ...['sub', 'org', 'sid', 'jti'].flatMap((claim) =>
      odd(claim, [...OF_EACH, [usual[claim]], 'someone', `${usual[claim]}'`]),
    ),
    ...odd('iss', [
      ...OF_EACH,
      'https://evil.example',
      `${usual.iss}/`,
      [usual.iss],
      'http://localhost',
      'HTTP://LOCALHOST:8080',
    ]),
    ...odd('typ', [...OF_EACH, 'refresh', 'mfa', 'Access', 'ACCESS', ['access'], 'access ', 'id']),
    ...odd('exp', [
      ...OF_EACH.filter((value) => value !== 7),
      0,
      7,
      -1,
      iat - 1,
      iat - 900,
      String(iat + 900),
      [iat + 900],
      iat + 900.5,
      1e300,
      'never',
    ]),
    ...odd('iat', [...OF_EACH.filter((value) => value !== 7), -1, String(iat), iat + 0.5]),
    ...odd('auth_time', [undefined, null, String(iat), -1, []]),
    ...odd('aal', [undefined, null, 2, 'aal3', 'AAL2', ['aal2']]),
    ...odd('auth_method', [undefined, null, 7, '']),
    ...odd('email', [null, 7, [victim.email]]),
    ...odd('email_verified', [null, 1, 'true']),
    ...odd('role', [null, 7, 'chief', ['owner']]),
    ...odd('perms', [null, 'notes.approve', [7], [''], {}]),
    ...odd('perms_omitted', [null, false, 1, 'true']),
    ...odd('perms_at', [null, -1, 0.5, String(iat)]),
    ...odd('nbf', [iat + 3600, iat, String(iat), null]),
    ...odd('aud', ['https://evil.example', ['https://evil.example'], usual.iss, null]),
    ['sub of another user', { sub: forger.user_id }],
    ['org of another tenant', { org: forger.organization_id }],
    ['sid of another session', { sid: forger.session_id }],
    ['sub and org of another user', { sub: forger.user_id, org: forger.organization_id }],
    ['a session that does not exist', { sid: randomUUID() }],
  ];
  const texts: [string, string][] = [
    ['nothing', '""'],
    ['null', 'null'],
    ['a number', '7'],
    ['a list', JSON.stringify([usual])],
    ['no JSON', JSON.stringify(usual).slice(0, -1)],
    ['no UTF-8', `{"sub":"\ud800"`],
    ['typ twice, the last of them refresh', JSON.stringify(usual).replace('}', ',"typ":"refresh"}')],
    ['sub twice, the last of them another', JSON.stringify(usual).replace('}', `,"sub":"${forger.user_id}"}`)],
    ['a token inside', JSON.stringify(workshop.genuine)],
  ];
  /**
   * Claims that only the database shows to be forged: a verifier accepts them, because the signature is valid. It also
   * accepts an unknown role, which later versions may add and which grants nothing.
   */
  const bySession = /^(sub|org|sid) of|^sub and org|^a session that does not exist|^role "chief"/;
  return [
    ...table.map(([name, changes]) => ({
      name: `claim ${name}`,
      token: minted(workshop, changes),
      ...(bySession.test(name) && { onlyServers: true }),
    })),
    ...texts.map(([name, payload]) => ({
      name: `payload: ${name}`,
      token: assemble(headerOf(workshop), payload, rs256(workshop.own)),
      ...(name.startsWith('sub twice') && { onlyServers: true }),
    })),
  ];
};

/** Claims that a forger would want, signed with a key of the forger. */
export const wishes: Table = (workshop) =>
  Object.entries({
    'for ever': { exp: 9_999_999_999 },
    'the second level': { aal: 'aal2', auth_time: Math.floor(Date.now() / 1000) },
    'an owner': { role: 'owner', platform_role: 'owner', permissions: ['*'], scope: '*' },
    'a session of the forger': { sid: workshop.forger.session_id },
  }).map(([name, wish]) => ({ name: `wish: ${name}`, token: forged(workshop, {}, { ...workshop.claims, ...wish }) }));
