import { randomBytes } from 'node:crypto';
import slugify from '@sindresorhus/slugify';

const MAX_LENGTH = 63;

/** docs/reference/http.md#requests: derives a slug from the name; random if the name yields none. */
export function slugFrom(name: string, kind = 'org'): string {
  const slug = slugify(name, { decamelize: false })
    .replace(/[^a-z0-9-]/g, '')
    .slice(0, MAX_LENGTH)
    .replace(/^-+|-+$/g, '')
    .replace(/-{2,}/g, '-');
  return slug.length < 2 ? `${kind}-${randomBytes(4).toString('hex')}` : slug;
}

export const slugWithSuffix = (slug: string): string =>
  `${slug.slice(0, MAX_LENGTH - 7).replace(/-+$/, '')}-${randomBytes(3).toString('hex')}`;
