import type { Feature } from '../../http/route.ts';

export const organizations: Feature = { name: 'Organizations', routes: [] };
