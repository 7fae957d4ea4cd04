import { LIMITS } from '@gatehouse/contract';
import { beforeAll, describe, expect, it } from 'vitest';
import { useTestApp } from '../../../test/harness.ts';
import { createFlagAdmin, type FlagAdmin } from './flags-fixture.ts';

const app = useTestApp();
let admin: FlagAdmin;
beforeAll(async () => {
  admin = await createFlagAdmin(app);
});

const putValue = (value: string) => admin.put(`{"flag_key":"payload","enabled":true,"value":${value}}`);

const nested = (levels: number): string => '{"a":'.repeat(levels) + 1 + '}'.repeat(levels);
const sized = (bytes: number): string => `{"a":"${'x'.repeat(bytes - 8)}"}`;
const { bytes, depth } = LIMITS.flagValue;

describe('§4.11 value', () => {
  it.each([
    ['an empty object', '{}'],
    ['all kinds of values', '{"a":[1,-0.5,1e21,true,false,null,"x",[],{}]}'],
    ['any characters', '{"größe":"😀 \u2028\u2029 ‮","":"","\\"\\\\/":"\\"\\\\/"}'],
    ['newlines and tabs in texts', '{"a":"one\\n\\ttwo\\r\\n","b":["\\n"]}'],
    ['lists as deep as allowed', `{"a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`],
    ['objects as deep as allowed', nested(depth)],
    ['as long as allowed', sized(bytes)],
    ['numbers at the limits of their precision', '{"a":[1.7976931348623157e308,5e-324,9007199254740991]}'],
    [
      'names of built-in properties',
      '{"__proto__":{"x":1},"constructor":{"prototype":{"x":1}},"toJSON":"x","hasOwnProperty":1}',
    ],
  ])('a value is returned unchanged: %s', async (_what, value) => {
    const answer = await putValue(value);
    expect(answer.status).toBe(200);
    const given = JSON.parse(value);
    for (const back of [
      answer.json.value,
      (await admin.list()).json[0].value,
      (await admin.flags()).json.payload.value,
    ]) {
      // `toEqual` alone does not compare a key `__proto__`.
      expect(back).toEqual(given);
      expect(namesIn(back)).toEqual(namesIn(given));
    }
    expect(({} as { x?: number }).x).toBeUndefined();
  });

  const CHARACTERS = 'must not contain invalid Unicode or control characters, except newlines and tabs in texts';
  const DEEP = `must be at most ${depth} levels deep`;
  it.each([
    [CHARACTERS, '{"a":"\\u0000"}'],
    [CHARACTERS, '{"\\u0000":1}'],
    [CHARACTERS, '{"a":["\\ud800"]}'],
    [CHARACTERS, '{"a":{"\\udc00":1}}'],
    [CHARACTERS, '{"a":"\\u001b[2J"}'],
    [CHARACTERS, '{"a":"\\u0085"}'],
    [CHARACTERS, '{"a":"\\u000b"}'],
    [CHARACTERS, '{"a\\n":1}'],
    ['must not contain numbers of that size', '{"a":[1e400]}'],
    ['must not contain numbers of that size', '{"a":-1e400}'],
    [DEEP, nested(depth + 1)],
    [DEEP, `{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`],
    [DEEP, nested(9_000)],
    [`must be at most ${bytes} bytes as JSON`, sized(bytes + 1)],
    [`must be at most ${bytes} bytes as JSON`, `{"a":"${'é'.repeat(bytes / 2)}"}`],
  ])('400 with the message "value: %s"', async (fault, value) => {
    const answer = await putValue(value);
    expect(answer).toMatchObject({
      status: 400,
      json: { error: { code: 'invalid_input', message: `value: ${fault}` } },
    });
  });
});

function namesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value)
    .flatMap(([name, inner]) => [name, ...namesIn(inner)])
    .sort();
}
