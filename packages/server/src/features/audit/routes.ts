import type { Feature } from '../../http/route.ts';

export const audit: Feature = { name: 'Audit trail', routes: [] };
