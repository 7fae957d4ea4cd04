import type { Config } from '../../platform/config/settings.ts';

type Addresses = Pick<Config, 'PUBLIC_BASE_URL' | 'ROUTE_PREFIX'>;

export function avatarUrl(config: Addresses, avatar_id: string): string;
export function avatarUrl(config: Addresses, avatar_id: string | null): string | null;
export function avatarUrl({ PUBLIC_BASE_URL, ROUTE_PREFIX }: Addresses, avatar_id: string | null): string | null {
  return avatar_id === null ? null : `${PUBLIC_BASE_URL}${ROUTE_PREFIX}/avatars/${avatar_id}.webp`;
}
