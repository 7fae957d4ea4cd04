import { type Client, createClient } from '../../packages/client/src/index.ts';
import { createVerifier, type Verifier } from '../../packages/verify/src/index.ts';
import type { Bench } from '../bench.ts';
import { PASSWORD } from '../limits.ts';
import { codeOf, type Measured, measureUnderLoad, randomPause, untilRejected } from '../rejections.ts';
import { startService } from '../service.ts';
import { atEnd } from '../tidy.ts';

/** Each user has an organization: role changes are limited to 60 in 10 minutes per organization. */
const USERS = 20;
const CHANGES_PER_USER = 10;
const PERMISSION = 'bench.act';
const OWNER = 'bench@example.com';

interface User {
  readonly client: Client;
  setRoles(role_ids: readonly string[]): Promise<unknown>;
  readonly role_id: string;
}

async function registerUser(base: string, email: string): Promise<Omit<User, 'role_id'> & { organization_id: string }> {
  const client = createClient({ base });
  const { user } = await client.signIn.register({ email, password: PASSWORD, organization_name: 'Bench' });
  const { organization_id, user_id } = user;
  const setRoles = (role_ids: readonly string[]) =>
    client.members.setRoles(organization_id, user_id, { role_ids: [...role_ids] });
  return { client, setRoles, organization_id };
}

async function createUser(base: string, index: number): Promise<User> {
  const user = await registerUser(base, `role-changes-${index}@example.com`);
  const role = await user.client.roles.create(user.organization_id, { name: 'Actor', permissions: [PERMISSION] });
  return { ...user, role_id: role.id };
}

/** Assigns and removes the role in turns. After each change the client refreshes, and the new token must reflect it. */
async function changeRoles(
  { client, setRoles, role_id }: User,
  verifier: Verifier,
  changes: number,
): Promise<Measured> {
  const measured: Measured = { times: [], faults: [] };
  let token = await client.accessToken();
  for (let change = 0; change < changes; change++) {
    const isGiven = change % 2 === 0;
    await randomPause();
    const old = token;
    await verifier.verify(old);
    const { code, time } = await untilRejected(
      () => setRoles(isGiven ? [role_id] : []),
      () => verifier.verify(old),
    );
    measured.times.push(time);
    if (code !== 'token_stale') measured.faults.push(`a token from before a change: ${code}`);
    token = await client.accessToken({ refused: old });
    const renewed = await codeOf(verifier.require({ permission: PERMISSION }).verify(token));
    if (renewed !== (isGiven ? 'accepted' : 'forbidden')) measured.faults.push(`a token after a change: ${renewed}`);
  }
  return measured;
}

/** How long a token from before a role change is still accepted by a verifier, while the service is busy. */
export const roleChanges: Bench = {
  name: 'role-changes',
  about: 'time from a role change to the rejection of older tokens at a verifier, while the service is under load',
  rounds: { rounds: CHANGES_PER_USER, seconds: 2 },
  async run({ rounds, seconds }) {
    const service = await startService({ settings: { INITIAL_OWNER_EMAIL: OWNER } });
    const base = `${service.url}/v1`;
    const owner = await registerUser(base, OWNER);
    await owner.client.permissions.save(PERMISSION);
    const users = await Promise.all(Array.from({ length: USERS }, (_, index) => createUser(base, index)));
    const verifier = createVerifier({ issuer: service.url });
    atEnd(async () => verifier.close());
    await verifier.ready();
    return measureUnderLoad({
      what: 'role change',
      name: `of ${USERS} users at once`,
      service,
      token: await owner.client.accessToken(),
      seconds,
      work: () => Promise.all(users.map((user) => changeRoles(user, verifier, rounds))),
    });
  },
};
