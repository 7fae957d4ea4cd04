import { expect, it, vi } from 'vitest';
import { PAGES } from '../pages.ts';

// The settings are read from the document, which does not exist here.
vi.mock('../ui/settings.ts', () => ({ settings: { api: 'http://localhost/v1' }, styleNonce: '' }));

it('the router of the app and the service have the same pages', async () => {
  const { router } = await import('./router.tsx');
  const routed = Object.keys(router.routesByPath).map((path) => path.replaceAll('$', ':'));
  const served = Object.keys(PAGES).filter((path) => PAGES[path] === 'app');
  expect(routed.sort()).toEqual(served.sort());
});
