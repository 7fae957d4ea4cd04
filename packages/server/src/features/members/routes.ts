import type { Feature } from '../../http/route.ts';

export const members: Feature = { name: 'Members', routes: [] };
