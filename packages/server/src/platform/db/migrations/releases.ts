import type { Release } from '@gatehouse/migrate';

/** Oldest first. A new release is added here, with a frozen filled database of it: see docs/upgrading.md. */
export const RELEASES: readonly Release[] = [{ version: '0.1.0', schema: 7 }];
