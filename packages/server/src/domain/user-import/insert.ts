import { v7 as uuid } from 'uuid';
import type { Db } from '../../platform/db/connect.ts';
import { violatedConstraint } from '../../platform/db/errors.ts';
import { transact } from '../../platform/db/transact.ts';
import { auditRow } from '../audit/record.ts';
import { COMMAND_LINE } from '../kernel/caller.ts';
import { slugFrom, slugWithSuffix } from '../organizations/slug.ts';
import { ISSUERS } from './foreign-user.ts';
import { type Batch, type ImportTarget, type Inserted, insertForeignUsers, listTakenSlugs } from './queries.ts';
import type { NewUser } from './validate.ts';

/** All users join one organization, or (undefined) each gets a new one. */
export type Target = { readonly organization_id: string; readonly role: 'member' | 'admin' } | undefined;

export interface Placing {
  readonly target: Target;
  readonly now: Date;
}

const MAX_ATTEMPTS = 5;

/** Inserts the users in one transaction. Returns the ids of new users and identities; the others already existed. */
export async function insertUsers(db: Db, newUsers: readonly NewUser[], placing: Placing): Promise<Inserted> {
  for (let attempt = 1; ; attempt++) {
    const batch = toBatch(newUsers, await targetsFor(db, newUsers, placing.target), placing);
    try {
      return await transact(db, (tx) => insertForeignUsers(tx, batch));
    } catch (error) {
      // A concurrent registration has taken one of the slugs.
      if (attempt === MAX_ATTEMPTS || violatedConstraint(error) !== 'organizations_slug_key') throw error;
    }
  }
}

function toBatch(newUsers: readonly NewUser[], targets: readonly ImportTarget[], { now }: Placing): Batch {
  return {
    now,
    users: newUsers.map(({ identities: _, ...user }, index) => ({ ...user, ...targets[index]! })),
    identities: newUsers.flatMap(({ id: user_id, identities }) =>
      identities.map((identity) => ({ ...identity, user_id, issuer: ISSUERS[identity.provider] })),
    ),
    audit: newUsers.map(({ id }, index) =>
      auditRow(COMMAND_LINE, {
        action: 'auth.register',
        now,
        resource_type: 'user',
        resource_id: id,
        metadata: {},
        organization_id: targets[index]!.organization_id,
      }),
    ),
  };
}

async function targetsFor(db: Db, newUsers: readonly NewUser[], target: Target): Promise<ImportTarget[]> {
  if (target) return newUsers.map(() => ({ ...target, organization_name: null, organization_slug: null }));
  const names = newUsers.map(({ display_name, email }) => display_name ?? email.slice(0, email.lastIndexOf('@')));
  const slugs = names.map((name) => slugFrom(name));
  const taken = await listTakenSlugs(db, slugs);
  return names.map((organization_name, index) => {
    const derived = slugs[index]!;
    const organization_slug = taken.has(derived) ? slugWithSuffix(derived) : derived;
    taken.add(organization_slug);
    return { organization_id: uuid(), role: 'owner', organization_name, organization_slug };
  });
}
