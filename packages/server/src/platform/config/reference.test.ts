import { expect, it } from 'vitest';
import { renderConfigurationReference } from './reference.ts';

it('docs/configuration.md matches the table of settings', async () => {
  await expect(renderConfigurationReference()).toMatchFileSnapshot('../../../../../docs/configuration.md');
});
