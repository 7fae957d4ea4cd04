import { violatedConstraint } from '../../platform/db/errors.ts';
import { ServiceError } from '../kernel/service-error.ts';
import { slugFrom, slugWithSuffix } from './slug.ts';

const MAX_ATTEMPTS = 5;

interface Named {
  readonly name: string;
  /** Left out: derived from the name, with a suffix if it is taken. */
  readonly slug?: string | undefined;
}

/** Calls `insert`, a whole transaction, until the slug is free. A constraint decides between concurrent calls. */
export async function withFreeSlug<T>({ name, slug }: Named, insert: (slug: string) => Promise<T>): Promise<T> {
  if (slug !== undefined) return orSlugTaken(insert(slug));
  const derived = slugFrom(name);
  for (let attempt = 1; ; attempt++) {
    try {
      return await insert(attempt === 1 ? derived : slugWithSuffix(derived));
    } catch (error) {
      if (!isSlugTaken(error) || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}

/** Rejects with 409 if another organization has the slug. */
export const orSlugTaken = <T>(work: Promise<T>): Promise<T> =>
  work.catch((error) => {
    throw isSlugTaken(error) ? new ServiceError('conflict', 'organization slug already taken') : error;
  });

const isSlugTaken = (error: unknown): boolean => violatedConstraint(error) === 'organizations_slug_key';
