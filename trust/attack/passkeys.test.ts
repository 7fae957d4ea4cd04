import { afterAll, beforeAll, describe } from 'vitest';
import { isFull } from '../effort.ts';
import { type Keys, startKeys } from './passkeys-fixture.ts';
import { tryLogins } from './passkeys-logins-fixture.ts';
import { tryRegistrations } from './passkeys-registrations-fixture.ts';

/** Every ceremony begins at one server and ends at the other, where there are two. */
describe.each(isFull ? [1, 2] : [2])('passkeys, through %i server(s)', (servers) => {
  let keys: Keys;
  beforeAll(async () => {
    keys = await startKeys(servers);
  });
  afterAll(() => keys.replicas.close());

  const current = () => keys;
  describe('signing in', () => tryLogins(current));
  describe('adding one', () => tryRegistrations(current));
});
