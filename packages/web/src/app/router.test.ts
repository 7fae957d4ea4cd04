import { expect, it, vi } from 'vitest';
import { PAGES } from '../pages.ts';

// Read from the document, which there is none of here.
vi.mock('../ui/settings.ts', () => ({ settings: { api: 'http://localhost/v1' }, styleNonce: '' }));

it('the app’s router and the service know the same pages', async () => {
  const { router } = await import('./router.tsx');
  const routed = Object.keys(router.routesByPath).map((path) => path.replaceAll('$', ':'));
  const served = Object.keys(PAGES).filter((path) => PAGES[path] === 'app');
  expect(routed.sort()).toEqual(served.sort());
});
