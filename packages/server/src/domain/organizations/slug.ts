import { randomBytes } from 'node:crypto';
import slugify from '@sindresorhus/slugify';

const MAX = 63;

/** The contract, section 1: a slug made from the name; a name that yields none gets one of its own. */
export function slugFrom(name: string): string {
  const slug = slugify(name)
    .replace(/[^a-z0-9-]/g, '')
    .slice(0, MAX)
    .replace(/^-+|-+$/g, '')
    .replace(/-{2,}/g, '-');
  return slug.length < 2 ? `org-${randomBytes(4).toString('hex')}` : slug;
}

/** The same with an ending that is most likely free. */
export const slugWithSuffix = (slug: string): string =>
  `${slug.slice(0, MAX - 7).replace(/-+$/, '')}-${randomBytes(3).toString('hex')}`;
