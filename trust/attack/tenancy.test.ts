import { afterAll, beforeAll, describe } from 'vitest';
import { isFull } from '../effort.ts';
import { tryAssignment } from './tenancy-assignment-fixture.ts';
import { startTenants, type Tenants } from './tenancy-fixture.ts';
import { tryIds } from './tenancy-ids-fixture.ts';
import { tryTable } from './tenancy-table-fixture.ts';

/** Many cases each, on a machine that may be busy with others. */
const PATIENCE = isFull ? 600_000 : 120_000;

describe.each(isFull ? [1, 2] : [2])('tenancy, through %i server(s)', { timeout: PATIENCE }, (servers) => {
  let tenants: Tenants;
  beforeAll(async () => {
    tenants = await startTenants(servers);
  }, PATIENCE);
  afterAll(() => tenants.close());

  const current = () => tenants;
  describe('who may ask what', () => tryTable(current));
  describe('whose ids', () => tryIds(current));
  describe('what nobody asked for', () => tryAssignment(current));
});
