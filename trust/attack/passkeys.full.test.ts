import { afterAll, beforeAll, describe } from 'vitest';
import { type Keys, startKeys } from './passkeys-fixture.ts';
import { tryLogins } from './passkeys-logins-fixture.ts';
import { tryRegistrations } from './passkeys-registrations-fixture.ts';

/**
 * With two servers, every ceremony begins at one and ends at the other. In `npm test`,
 * `features/passkeys/{login,registration}-refusals.test.ts` try these responses, on one server.
 */
describe.each([1, 2])('passkeys, on %i server(s)', (servers) => {
  let keys: Keys;
  beforeAll(async () => {
    keys = await startKeys(servers);
  });
  afterAll(() => keys.replicas.close());

  const current = () => keys;
  describe('sign-in', () => tryLogins(current));
  describe('registration', () => tryRegistrations(current));
});
