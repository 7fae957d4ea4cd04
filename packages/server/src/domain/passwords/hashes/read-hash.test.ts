import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { firebaseString } from './firebase-scrypt.ts';
import { argon2Hash, bcryptHash, FIREBASE, firebaseHash, pbkdf2Parts } from './hashes-fixture.ts';
import { pbkdf2String } from './pbkdf2.ts';
import { decoyOf, readHash } from './read-hash.ts';

const PASSWORD = 'Grüße aus dem alten Haus 🏠';
const noKeys = async () => undefined;
const bytes = (text: string) => Buffer.from(text, 'base64');
const key_id = randomUUID();
const findKey = async (id: string) => (id === key_id ? bytes(FIREBASE.hash_config.base64_signer_key) : undefined);

const matches = async (stored: string, password: string) => readHash(stored)!.matches(password, findKey);
const firebase = ({ salt, passwordHash }: { salt: string; passwordHash: string }) =>
  firebaseString({
    mem_cost: 14,
    rounds: 8,
    key_id,
    salt: bytes(salt),
    separator: bytes('Bw=='),
    hash: bytes(passwordHash),
  });

describe('a password is verified with the algorithm of its hash', () => {
  it.each([
    ['bcrypt $2a$', () => bcryptHash(PASSWORD, 4, '2a'), 'bcrypt, cost 4'],
    ['bcrypt $2b$', () => bcryptHash(PASSWORD, 5, '2b'), 'bcrypt, cost 5'],
    ['bcrypt $2y$', () => bcryptHash(PASSWORD, 4, '2y'), 'bcrypt, cost 4'],
    ['argon2id', () => argon2Hash(PASSWORD, 'id'), 'argon2id, 64 KiB, 1 passes'],
    ['argon2i', () => argon2Hash(PASSWORD, 'i', { memory: 128, passes: 3, lanes: 2 }), 'argon2i, 128 KiB, 3 passes'],
    ['argon2d', () => argon2Hash(PASSWORD, 'd'), 'argon2d, 64 KiB, 1 passes'],
    ...(['sha1', 'sha256', 'sha512'] as const).map((digest) => [
      `pbkdf2 ${digest}`,
      () => pbkdf2String({ digest, ...pbkdf2Parts(PASSWORD, digest) }),
      `pbkdf2-${digest}, 1000 iterations`,
    ]),
    ['Firebase', () => firebase(firebaseHash(PASSWORD)), 'firebase scrypt, 2^14, 8 rounds'],
  ] as [string, () => string | Promise<string>, string][])(
    '%s: a hash matches its password and no other',
    async (_name, make, label) => {
      const stored = await make();
      expect(readHash(stored)).toMatchObject({ label, too_costly: false });
      expect(await matches(stored, PASSWORD)).toBe(true);
      for (const wrong of [`${PASSWORD}!`, PASSWORD.slice(1), '', PASSWORD.normalize('NFD')]) {
        expect(await matches(stored, wrong)).toBe(false);
      }
    },
  );

  it.each([
    ['abc', '$2a$06$If6bvum7DFjUnE9p2uDeDu0YHzrHM6tf.iqN8.yx.jNN1ILEf7h0i'],
    ['password', '$argon2i$m=65536,t=2,p=1$c29tZXNhbHQ$9sTbSlTio3Biev89thdrlKKiCaYsjjYVJxGAL3swxpQ'],
    ['password', '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc'],
    // A test vector of RFC 7914, section 11.
    [
      'passwd',
      '$pbkdf2-sha256$i=1,l=64$c2FsdA$VawEblbjCJ/sFpHCJUS2BflBhSFt3gRl5oudV8INrLxJypzM8Xm2RZkWZLOdd+8xfHG4RbHjC9UJESBB06GXgw',
    ],
    [FIREBASE.password, firebase(FIREBASE)],
  ])('the password %s matches the published hash %s', async (password, stored) => {
    expect(await matches(stored, password)).toBe(true);
  });

  it('bcrypt: uses 72 bytes of the password, and ignores unused bits of the salt', async () => {
    const stored = await bcryptHash('x'.repeat(72));
    expect(await matches(stored, 'x'.repeat(100))).toBe(true);
    expect(await matches(stored, 'x'.repeat(71))).toBe(false);
    const [salt, hash] = [stored.slice(0, 28), stored.slice(29)];
    const beside = { '.': '/', O: 'P', e: 'f', u: 'v' }[stored[28]!]!;
    expect(await matches(`${salt}${beside}${hash}`, 'x'.repeat(72))).toBe(true);
  });

  it('Firebase: nothing matches without the right signer key', async () => {
    const stored = firebase(FIREBASE);
    expect(await readHash(stored)!.matches(FIREBASE.password, noKeys)).toBe(false);
    expect(await readHash(stored)!.matches(FIREBASE.password, async () => Buffer.alloc(64))).toBe(false);
    expect(await readHash(stored)!.matches(FIREBASE.password, async () => Buffer.alloc(0))).toBe(false);
  });
});

describe('a hash that cannot be read or must not be computed', () => {
  const salt = 'c29tZXNhbHQ';
  const hash = 'VawEblY8v2v7TPIh9tUrBEnlRuqRhMHIv9zK+hF8wgk';
  const bcryptRest = 'If6bvum7DFjUnE9p2uDeDu0YHzrHM6tf.iqN8.yx.jNN1ILEf7h0i';

  it.each([
    '',
    'plain text',
    '$argon2id$other',
    `$argon2id$v=18$m=64,t=1,p=1$${salt}$${hash}`,
    `$argon2id$v=19$m=7,t=1,p=1$${salt}$${hash}`,
    `$argon2id$v=19$m=64,t=0,p=1$${salt}$${hash}`,
    `$argon2id$v=19$m=64,t=1,p=1$${salt}$${hash}\n`,
    `$argon2id$v=19$m=64,t=1,p=1,keyid=x$${salt}$${hash}`,
    `$2b$03$${bcryptRest}`,
    `$2x$06$${bcryptRest}`,
    `$2b$06$${bcryptRest}x`,
    `$2b$06$${bcryptRest.slice(1)}`,
    `$2b$06$${bcryptRest.replace('I', '\0')}`,
    `$pbkdf2-md5$i=1,l=32$${salt}$${hash}`,
    `$pbkdf2-sha256$i=0,l=32$${salt}$${hash}`,
    `$pbkdf2-sha256$i=1,l=64$${salt}$${hash}`,
    `$pbkdf2-sha256$i=1,l=3$${salt}$AAAA`,
    `$firebase-scrypt$ln=0,r=8$${key_id}$${salt}$Bw$${hash}`,
    `$firebase-scrypt$ln=14,r=0$${key_id}$${salt}$Bw$${hash}`,
    `$firebase-scrypt$ln=14,r=8$../../etc/passwd$${salt}$Bw$${hash}`,
  ])('the hash %j is of no known kind', (stored) => {
    expect(readHash(stored)).toBeUndefined();
  });

  it.each([
    `$2b$15$${bcryptRest}`,
    `$2b$99$${bcryptRest}`,
    `$argon2id$v=19$m=1048576,t=1,p=1$${salt}$${hash}`,
    `$argon2id$v=19$m=262144,t=9,p=1$${salt}$${hash}`,
    `$argon2id$v=19$m=4096,t=1,p=255$${salt}$${hash}`,
    `$argon2d$v=19$m=99999999,t=99999999,p=1$${salt}$${hash}`,
    `$pbkdf2-sha512$i=5000001,l=32$${salt}$${hash}`,
    `$pbkdf2-sha1$i=4500000,l=32$${salt}$${hash}`,
    `$firebase-scrypt$ln=19,r=8$${key_id}$${salt}$Bw$${hash}`,
    `$firebase-scrypt$ln=99,r=999$${key_id}$${salt}$Bw$${hash}`,
  ])('the hash %s is too costly', (stored) => {
    expect(readHash(stored)?.too_costly).toBe(true);
  });

  it.each([
    ['$2b$14', true],
    ['$argon2id$v=19$m=262144,t=4,p=4', true],
    // Keycloak's settings for the weakest of its digests.
    ['$pbkdf2-sha1$i=1300000,l=64', true],
    ['$firebase-scrypt$ln=18,r=8', true],
    ['$2b$15', false],
    ['$firebase-scrypt$ln=19,r=8', false],
    ['$argon2id$other', false],
    ['?', false],
  ])('a decoy can be made for %s: %s', (head, possible) => {
    expect(decoyOf(head) !== undefined).toBe(possible);
  });
});

describe('a decoy', () => {
  it.each([
    '$2b$04',
    '$2y$04',
    '$argon2id$v=19$m=64,t=1,p=1',
    '$argon2i$m=64,t=1,p=1',
    '$pbkdf2-sha512$i=1000,l=64',
    '$firebase-scrypt$ln=4,r=8',
  ])('of %s is a hash of the same cost that nothing matches', async (head) => {
    const stored = decoyOf(head)!;
    expect(stored.startsWith(`${head}$`)).toBe(true);
    expect(await matches(stored, PASSWORD)).toBe(false);
    expect(decoyOf(head)).not.toBe(stored);
  });
});
