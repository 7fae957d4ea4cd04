import { expect, it } from 'vitest';
import { typeNames, wireTypes } from './wire-types.ts';

// After a change of the contract: npx vitest run --project embedded packages/client/test/wire.test.ts -u
it('wire.ts matches the schemas of the contract', async () => {
  await expect(wireTypes()).toMatchFileSnapshot('../src/wire.ts');
});

it('wire-compared.ts compares every type of the SDK with that of the contract', async () => {
  const lines = typeNames().map((name) => {
    const how = name.endsWith('Query') ? 'Takes' : 'Same';
    return `export const ${name}: ${how}<wire.${name}, contract.${name}> = true;\n`;
  });
  await expect(`${HEAD}\n${lines.join('')}`).toMatchFileSnapshot('./wire-compared.ts');
});

const HEAD = `// Made by wire.test.ts; do not edit. The compiler fails here where a type of the SDK is not that of the service.
import type * as contract from '@gatehouse/contract';
import type * as wire from '../src/wire.ts';
import type { Same, Takes } from './same.ts';
`;
