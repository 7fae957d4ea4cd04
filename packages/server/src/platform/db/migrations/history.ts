import type { History } from '@gatehouse/migrate';
import { MIGRATIONS } from './list.ts';
import { RELEASES } from './releases.ts';

/** Rows of `users` and `organizations` are never deleted. */
export const HISTORY: History = { migrations: MIGRATIONS, releases: RELEASES, kept: ['users', 'organizations'] };
