import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { refusalOf, VerifyError, type VerifyErrorCode } from '../src/index.ts';
import type { VectorFile, VectorVerdict } from './vectors/format.ts';
import { generateVectors } from './vectors/generate.ts';
import { responses } from './vectors/responses.ts';
import { expectedOf, runScenario } from './vectors/run-scenario.ts';
import { FOLDER } from './vectors/sign.ts';

const generated = generateVectors();
const verdicts: Record<string, readonly VectorVerdict[]> = {};

afterAll(() => {
  // `npm run interop -- verifiers` compares the verdicts of all verifiers.
  if (process.env.VERDICTS_FILE) writeFileSync(process.env.VERDICTS_FILE, JSON.stringify(verdicts));
});

it('the committed vectors are those that npm run vectors writes', () => {
  const names = readdirSync(FOLDER).filter((name) => name.endsWith('.json') && name !== 'test-keys.json');
  expect(names.sort()).toEqual([...generated.keys()].sort());
  for (const [name, text] of generated) expect(readFileSync(join(FOLDER, name), 'utf8') === text, name).toBe(true);
});

it.each(Object.entries(responses.responses))('refusalOf(%s) matches vectors', (code, { status, headers, error }) => {
  const message = 'why';
  const refusal = refusalOf(new VerifyError(code as VerifyErrorCode, message));
  expect(refusal).toEqual({ status, headers, body: { error: { ...error, message } } });
});

describe.each([...generated].filter(([name]) => name !== 'responses.json'))('%s', (file, text) => {
  const { key_sets, scenarios } = JSON.parse(text) as VectorFile;
  it.each(scenarios.map((scenario) => [scenario.name, scenario] as const))('%s', async (_, scenario) => {
    const result = await runScenario(scenario, key_sets);
    verdicts[`${file}: ${scenario.name}`] = result.verdicts;
    const titled = (list: readonly unknown[]) => list.map((verdict, at) => [scenario.checks[at]?.about, verdict]);
    const expected = expectedOf(scenario);
    expect(titled(result.verdicts)).toEqual(titled(expected.verdicts));
    expect({ ready: result.ready, requests: result.requests }).toEqual({
      ready: expected.ready,
      requests: expected.requests,
    });
  });
});
