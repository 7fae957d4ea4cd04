import type { Feature } from '../../http/route.ts';

export const invitations: Feature = { name: 'Invitations', routes: [] };
