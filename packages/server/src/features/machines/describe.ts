import type { ApiKey, ServiceAccount } from '@gatehouse/contract';
import { ServiceError } from '../../domain/kernel/service-error.ts';
import { prefixOf } from '../../domain/machines/key-format.ts';
import type { AccountRow, KeyRow } from '../../domain/machines/queries.ts';

/** docs/reference/machines.md#service-accounts: the API view of a service account. */
export const describeAccount = ({
  disabled_at,
  created_at,
  last_used_at,
  roles,
  ...row
}: AccountRow): ServiceAccount => ({
  ...row,
  roles: roles.toSorted((left, right) => (left.slug < right.slug ? -1 : 1)),
  disabled: disabled_at !== null,
  created_at: created_at.toISOString(),
  last_used_at: last_used_at?.toISOString() ?? null,
});

/** The API view of a key: contains its public prefix, not its secret part. */
export const describeKey = ({ public_id, created_at, ends_at, last_used_at, ...row }: KeyRow): ApiKey => ({
  ...row,
  prefix: prefixOf(public_id),
  created_at: created_at.toISOString(),
  expires_at: ends_at?.toISOString() ?? null,
  last_used_at: last_used_at?.toISOString() ?? null,
});

export const noSuchAccount = () => new ServiceError('not_found', 'there is no such service account');
export const noSuchKey = () => new ServiceError('not_found', 'there is no such key');
