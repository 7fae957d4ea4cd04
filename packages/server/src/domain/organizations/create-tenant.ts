import type { Db, Tx } from '../../platform/db/connect.ts';
import { violatedConstraint } from '../../platform/db/errors.ts';
import { transact } from '../../platform/db/transact.ts';
import { ServiceError } from '../kernel/service-error.ts';
import { withFreeSlug } from './free-slug.ts';
import { insertTenant, type NewTenant } from './queries.ts';

type Tenant = Omit<NewTenant, 'organization'> & {
  readonly organization: { readonly id: string; readonly name: string; readonly slug?: string | undefined };
};

/**
 * Creates an organization, its owner and what `along` writes, in one transaction, after `check`. Constraints decide
 * between concurrent requests. A derived slug that is taken gets a suffix.
 */
export async function createTenant<T>(
  db: Db,
  tenant: Tenant,
  along: (tx: Tx, slug: string) => Promise<T>,
  check?: (tx: Tx) => Promise<unknown>,
): Promise<T> {
  const { organization } = tenant;
  try {
    return await withFreeSlug(organization, (slug) =>
      transact(db, async (tx) => {
        await check?.(tx);
        await insertTenant(tx, { ...tenant, organization: { ...organization, slug } });
        return along(tx, slug);
      }),
    );
  } catch (error) {
    if (violatedConstraint(error) !== 'users_email_key') throw error;
    throw new ServiceError('conflict', 'email already registered');
  }
}
