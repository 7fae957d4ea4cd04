import type { Db, Tx } from '../../platform/db/connect.ts';
import { violatedConstraint } from '../../platform/db/errors.ts';
import { transact } from '../../platform/db/transact.ts';
import { ServiceError } from '../service-error.ts';
import { insertTenant, type NewTenant } from './queries.ts';
import { slugFrom, slugWithSuffix } from './slug.ts';

type Tenant = Omit<NewTenant, 'organization'> & {
  readonly organization: { readonly id: string; readonly name: string; readonly slug?: string | undefined };
};

const MAX_ATTEMPTS = 5;

/**
 * Creates an organization, its owner and what `along` writes, in one transaction. Constraints decide between concurrent
 * requests. A derived slug that is taken gets a suffix.
 */
export async function createTenant<T>(db: Db, tenant: Tenant, along: (tx: Tx, slug: string) => Promise<T>) {
  const { organization } = tenant;
  const derived = slugFrom(organization.name);
  for (let attempt = 1; ; attempt++) {
    const slug = organization.slug ?? (attempt === 1 ? derived : slugWithSuffix(derived));
    try {
      return await transact(db, async (tx) => {
        await insertTenant(tx, { ...tenant, organization: { ...organization, slug } });
        return along(tx, slug);
      });
    } catch (error) {
      const constraint = violatedConstraint(error);
      if (constraint === 'users_email_key') throw new ServiceError('conflict', 'email already registered');
      if (constraint !== 'organizations_slug_key') throw error;
      if (organization.slug !== undefined) throw new ServiceError('conflict', 'organization slug already taken');
      if (attempt === MAX_ATTEMPTS) throw error;
    }
  }
}
