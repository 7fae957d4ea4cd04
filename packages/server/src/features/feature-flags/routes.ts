import type { Feature } from '../../http/route.ts';

export const featureFlags: Feature = { name: 'Feature flags', routes: [] };
