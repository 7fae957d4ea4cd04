import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, createClient } from '../../packages/client/src/index.ts';
import { createVerifier, type Verifier, VerifyError } from '../../packages/verify/src/index.ts';
import type { Bench } from '../bench.ts';
import { atMost, milliseconds } from '../goals.ts';
import { PASSWORD } from '../limits.ts';
import { load, percentile, request } from '../load.ts';
import { type Columns, tableOf } from '../report.ts';
import { startService } from '../service.ts';
import { atEnd } from '../tidy.ts';

/** Each user has an organization: role changes are limited to 60 in 10 minutes per organization. */
const USERS = 8;
const CHANGES_PER_USER = 25;
const CONNECTIONS = 16;
const PERMISSION = 'bench.act';
const OWNER = 'bench@example.com';
const LIMIT_MS = 5_000;
const CHECK_EVERY_MS = 5;
/** A change follows the last poll by a random part of it: otherwise every change would come just after a poll. */
const POLL_INTERVAL_MS = 2_000;

const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'accepted',
    (error) => (error instanceof VerifyError ? error.code : String(error)),
  );

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

interface Measured {
  /** From sending the change to the first rejection of the token from before it. */
  readonly times: number[];
  /** What was not as expected. */
  readonly faults: string[];
}

/** Gives and takes the role in turns. After each change the client refreshes, and the new token must be right. */
async function changeRoles(
  { client, setRoles, role_id }: User,
  verifier: Verifier,
  changes: number,
): Promise<Measured> {
  const measured: Measured = { times: [], faults: [] };
  let token = await client.accessToken();
  for (let change = 0; change < changes; change++) {
    const isGiven = change % 2 === 0;
    await sleep(Math.random() * POLL_INTERVAL_MS);
    await verifier.verify(token);
    const begun = performance.now();
    await setRoles(isGiven ? [role_id] : []);
    let code = 'accepted';
    while (code === 'accepted' && performance.now() - begun < 2 * LIMIT_MS) {
      await sleep(CHECK_EVERY_MS);
      code = await codeOf(verifier.verify(token));
    }
    measured.times.push(performance.now() - begun);
    if (code !== 'token_stale') measured.faults.push(`a token from before a change: ${code}`);
    token = await client.accessToken({ refused: token });
    const renewed = await codeOf(verifier.require({ permission: PERMISSION }).verify(token));
    if (renewed !== (isGiven ? 'accepted' : 'forbidden')) measured.faults.push(`a token after a change: ${renewed}`);
  }
  return measured;
}

interface Line extends Measured {
  readonly name: string;
}

const at = (share: number): ((line: Line) => string) => {
  return ({ times }) => percentile(Float64Array.from(times).sort(), share).toFixed(0);
};
const COLUMNS: Columns<Line> = [
  ['role changes', ({ name }) => name],
  ['count', ({ times }) => String(times.length)],
  ['p50 ms', at(0.5)],
  ['p90 ms', at(0.9)],
  ['p99 ms', at(0.99)],
  ['longest ms', at(1)],
  ['errors', ({ faults }) => String(faults.length)],
];

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

    let isOver = false;
    let answers = 0;
    const asked = request('GET', '/v1/auth/session', { authorization: `Bearer ${await owner.client.accessToken()}` });
    const loading = (async () => {
      while (!isOver) {
        answers += (await load({ port: service.port, connections: CONNECTIONS, next: () => asked }, seconds)).answers;
      }
    })();
    const begun = performance.now();
    const measured = await Promise.all(users.map((user) => changeRoles(user, verifier, rounds))).finally(() => {
      isOver = true;
    });
    const elapsed = (performance.now() - begun) / 1000;
    await loading;
    const line: Line = {
      name: `of ${USERS} users at once`,
      times: measured.flatMap(({ times }) => times),
      faults: measured.flatMap(({ faults }) => faults),
    };
    const longest = Math.max(...line.times);
    return {
      tables: [tableOf(COLUMNS, [line])],
      notes: [
        `Meanwhile the service answered ${(answers / elapsed).toFixed(0)} requests for the session per second, from ${CONNECTIONS} connections of the process that verifies.`,
        ...new Set(line.faults),
      ],
      verdicts: [
        { ...atMost('role change', longest, LIMIT_MS, milliseconds), met: longest <= LIMIT_MS && !line.faults.length },
      ],
      data: { ...line, requestsPerSecond: answers / elapsed },
    };
  },
};
