import { expect, it } from 'vitest';
import { renderConfigurationReference } from './reference.ts';

it('docs/configuration.md is what the table of settings says', async () => {
  await expect(renderConfigurationReference()).toMatchFileSnapshot('../../../../../docs/configuration.md');
});
