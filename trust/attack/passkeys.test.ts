import { afterAll, beforeAll, describe } from 'vitest';
import { isFull } from '../effort.ts';
import { type Keys, startKeys } from './passkeys-fixture.ts';
import { tryLogins } from './passkeys-logins-fixture.ts';
import { tryRegistrations } from './passkeys-registrations-fixture.ts';

/** Many cases each, on a machine that may be busy with others. */
const PATIENCE = isFull ? 600_000 : 120_000;

/** Every ceremony begins at one server and ends at the other, where there are two. */
describe.each(isFull ? [1, 2] : [2])('passkeys, through %i server(s)', { timeout: PATIENCE }, (servers) => {
  let keys: Keys;
  beforeAll(async () => {
    keys = await startKeys(servers);
  }, PATIENCE);
  afterAll(() => keys.replicas.close());

  const current = () => keys;
  describe('signing in', () => tryLogins(current));
  describe('adding one', () => tryRegistrations(current));
});
