import { afterAll, beforeAll, describe } from 'vitest';
import { isFull } from '../effort.ts';
import { tryAssignment } from './tenancy-assignment-fixture.ts';
import { startTenants, type Tenants } from './tenancy-fixture.ts';
import { tryIds } from './tenancy-ids-fixture.ts';
import { tryTable } from './tenancy-table-fixture.ts';

describe.each(isFull ? [1, 2] : [2])('tenancy, on %i server(s)', (servers) => {
  let tenants: Tenants;
  beforeAll(async () => {
    tenants = await startTenants(servers);
  });
  afterAll(() => tenants.close());

  const current = () => tenants;
  // In `npm test`, `packages/server/test/access-table.test.ts` tries every row as every caller.
  if (isFull) describe('the access table', () => tryTable(current));
  describe('ids of other tenants', () => tryIds(current));
  describe('undeclared fields', () => tryAssignment(current));
});
