import { isGrantable, isProductPermission } from '../../domain/kernel/permissions.ts';
import { ServiceError } from '../../domain/kernel/service-error.ts';
import { slugFrom, slugWithSuffix } from '../../domain/organizations/slug.ts';
import { findDeclared, isSlugTaken } from '../../domain/roles/queries.ts';
import type { Tx } from '../../platform/db/connect.ts';

const invalid = (message: string) => new ServiceError('invalid_input', message);

/** Sorted, without repetition. */
export const distinct = (names: readonly string[]): string[] => [...new Set(names)].sort();

/** A blank description is stored as null. */
export const descriptionFrom = (text: string | null | undefined): string | null => text?.trim() || null;

/** docs/reference/organizations.md#roles: a role may have permissions of the product, and most of the service's own. */
export async function requireKnown(tx: Tx, permissions: readonly string[]): Promise<void> {
  const product = permissions.filter(isProductPermission);
  const own = permissions.find((name) => !isProductPermission(name) && !isGrantable(name));
  if (own !== undefined) throw invalid(`permissions: a role cannot have ${own}`);
  const declared = await findDeclared(tx, product);
  const unknown = product.find((name) => !declared.has(name));
  if (unknown !== undefined) throw invalid(`permissions: there is no permission ${unknown}`);
}

/** Base roles, which tokens name in the claim `role`. */
const RESERVED: ReadonlySet<string> = new Set(['owner', 'admin', 'member', 'machine']);

interface Place {
  readonly organization_id: string | null;
  /** Id of the role that is changed: its own slug does not count as taken. */
  readonly except?: string;
}

/** The caller must have called `lockRoles`, so that the slug stays free until the commit. */
export async function requireFreeSlug(tx: Tx, slug: string, place: Place): Promise<void> {
  if (RESERVED.has(slug)) throw invalid(`slug: ${slug} is the name of a base role`);
  if (await isSlugTaken(tx, { slug, ...place })) throw new ServiceError('conflict', 'slug: is already taken');
}

/** Derives a slug from the name; adds a suffix if it is taken or reserved. The caller must have called `lockRoles`. */
export async function freeSlugFrom(tx: Tx, name: string, place: Place): Promise<string> {
  const derived = slugFrom(name, 'role');
  for (let slug = derived; ; slug = slugWithSuffix(derived)) {
    if (!RESERVED.has(slug) && !(await isSlugTaken(tx, { slug, ...place }))) return slug;
  }
}
