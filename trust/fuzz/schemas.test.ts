import fc, { type Arbitrary } from 'fast-check';
import { afterAll, beforeAll, expect } from 'vitest';
import type { OpenApiDocument } from '../../packages/server/src/http/openapi-document.ts';
import { isFull, rounds, SEED } from '../effort.ts';
import { cases, type Ledger } from '../ledger.ts';
import { type Answer, ask, bearerOf, codeOf, faultOf } from './ask-fixture.ts';
import { changeDuring } from './rows-fixture.ts';
import { type Endpoint, endpointsOf } from './schemas-operations-fixture.ts';
import { type CallerName, inside, outside, type Try } from './schemas-requests-fixture.ts';
import { type Service, type Someone, startService } from './service-fixture.ts';
import { createStalls } from './stalls-fixture.ts';

/** The same in every test run; another in every campaign, unless one is asked for again. */
const OUTSIDE = rounds(3, 220);
const INSIDE = rounds(1, 120);

const stalls = createStalls();
let service: Service;
let endpoints: Endpoint[];
beforeAll(async () => {
  service = await startService(2, stalls.env);
  await stalls.watch(service.servers);
  const document = await ask(service.url(), { method: 'GET', path: '/openapi.json' });
  endpoints = endpointsOf(JSON.parse(document.text) as OpenApiDocument);
});
afterAll(async () => {
  stalls.close();
  await service.close();
});

type Cast = Readonly<Record<Exclude<CallerName, 'nobody'>, Someone>>;

/** Nobody here is needed for anything else: whoever is thrown out on the way is replaced. */
async function castPeople(): Promise<Cast> {
  const owner = await service.person();
  const { organization_id } = owner;
  const verified = { aal: 'aal2', mfa_verified_at: new Date() } as const;
  const [member, chief] = await Promise.all([
    service.person({ organization_id, role: 'member' }),
    service.person({ platform_role: 'owner', ...verified }),
  ]);
  return { owner, member, 'platform owner': chief };
}

const knownOf = (those: Cast) => {
  const users = Object.values(those);
  return {
    ids: users.flatMap(({ user_id, organization_id, session_id }) => [user_id, organization_id, session_id]),
    emails: users.map(({ email }) => email),
  };
};

function credentialsOf({ caller, by }: Try): Record<string, string> {
  if (caller === 'nobody') return {};
  const { access_token, csrf } = cast[caller];
  if (by === 'bearer') return { authorization: `Bearer ${access_token}` };
  const cookie = `service_at=${access_token}; service_csrf=${csrf}`;
  return { cookie, ...(by === 'cookie' && { 'x-service-csrf': csrf }) };
}

/** A second factor counts for five minutes. */
const FRESH = 120_000;
let cast: Cast;
let since = 0;

async function freshCast(): Promise<Cast> {
  if (Date.now() - since > FRESH) {
    cast = await castPeople();
    since = Date.now();
  }
  return cast;
}

interface Sent {
  readonly answer: Answer;
  readonly fault: string | undefined;
}

/** Who is known to nobody any more has been thrown out by something before; somebody new asks in their place. */
async function send({ signed_in }: Endpoint, given: Try): Promise<Sent> {
  const sent = await sendOnce(given);
  if (!signed_in || given.caller === 'nobody' || codeOf(sent.answer) !== 'authentication_required') return sent;
  cast = await castPeople();
  return sendOnce(given);
}

async function sendOnce(given: Try): Promise<Sent> {
  const url = service.url();
  const { caller: _caller, by: _by, odd, odd_path, ...asked } = given;
  const answer = await ask(url, { ...asked, headers: { ...asked.headers, ...credentialsOf(given) } });
  return { answer, fault: faultOf(url, asked, answer, odd_path ? undefined : odd) };
}

/** Who must not get past the door does not; what the schema does not take is refused. */
function refusalFault(endpoint: Endpoint, { caller, by, odd, odd_path }: Try, answer: Answer): string | undefined {
  const seen = `${answer.status} ${answer.text.slice(0, 200)}`;
  if (endpoint.signed_in && caller === 'nobody') return answer.status === 401 ? undefined : `not 401 but ${seen}`;
  if (by === 'cookie without CSRF') return codeOf(answer) === 'csrf_failed' ? undefined : `no CSRF, and ${seen}`;
  if (odd === undefined) return undefined;
  if (answer.status < 400 || answer.status === 409) return `${odd} is not refused, but ${seen}`;
  // Who may do everything, but in the organizations of others, is stopped by nothing else.
  const isChief = caller === 'platform owner' && by === 'bearer' && !endpoint.path.includes('{org_id}');
  const expected = odd_path ? [400, 404] : [400];
  return !isChief || expected.includes(answer.status) ? undefined : `${odd}: not ${expected.join(' or ')} but ${seen}`;
}

/** The property, so many times; what breaks it is made as small as it gets, and told so that it can be sent again. */
async function explore(
  ledger: Ledger,
  endpoint: Endpoint,
  tries: Arbitrary<Try>,
  runs: number,
  look: (given: Try) => Promise<string | undefined>,
): Promise<void> {
  let passed = 0;
  const property = fc.asyncProperty(tries, async (given) => {
    const fault = await look(given);
    if (fault !== undefined) throw new Error(fault);
    passed++;
  });
  const result = await fc.check(property, { seed: SEED, numRuns: runs });
  for (let count = 0; count < Math.min(passed, result.numRuns); count++) ledger.enter(endpoint.name, undefined);
  if (!result.failed) return;
  const [counterexample] = result.counterexample ?? [];
  const fault = result.errorInstance instanceof Error ? result.errorInstance.message : 'failed';
  ledger.enter(endpoint.name, `${fault}\n  seed ${SEED}, sent ${JSON.stringify(counterexample)}`);
}

cases(
  'one step outside of the schema, or without a right to be there: refused by name, and nothing is written',
  async (ledger) => {
    ledger.note(`seed ${SEED}`);
    const statuses = new Map<string, Set<number>>();
    for (const endpoint of endpoints) {
      const tries = outside(endpoint, knownOf(await freshCast()));
      if (!tries) continue;
      const seen = new Set<number>();
      statuses.set(endpoint.name, seen);
      const change = await changeDuring(service.database, () =>
        explore(ledger, endpoint, tries, OUTSIDE, async (given) => {
          const { answer, fault } = await send(endpoint, given);
          seen.add(answer.status);
          return fault ?? refusalFault(endpoint, given, answer);
        }),
      );
      ledger.enter(`${endpoint.name}, all refused: nothing is written`, change);
    }
    ledger.enter('no server has failed', service.complaint());
    // Were everybody stopped at the door, nothing behind it would have been tried.
    if (isFull) {
      for (const { name, body, takes_anything } of endpoints) {
        if (body?.type === 'application/json' && !takes_anything) expect(statuses.get(name), name).toContain(400);
      }
    }
  },
  600_000,
);

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

cases('a method that a path does not have is not there, for anybody', async (ledger) => {
  const paths = [...new Set(endpoints.map(({ path }) => path))];
  const { 'platform owner': chief } = await freshCast();
  const change = await changeDuring(service.database, async () => {
    for (const [index, path] of paths.entries()) {
      const known = endpoints.filter((endpoint) => endpoint.path === path).map(({ method }) => method);
      const others = METHODS.filter((method) => !known.includes(method));
      for (const method of isFull ? others : others.slice(index % others.length).slice(0, 1)) {
        const asked = { method, path: path.replaceAll(/\{\w+\}/g, chief.user_id), headers: bearerOf(chief) };
        await ledger.attempt(`${method} ${path}`, async () => {
          const { status, text } = await ask(service.url(), asked);
          // `/users/{id}` and the like stand beside paths of more words.
          return status === 404 || status === 403 ? undefined : `${status} ${text.slice(0, 200)}`;
        });
      }
    }
  });
  ledger.enter('nothing is written', change);
});

cases(
  'within the schema: whatever comes of it is what the document says',
  async (ledger) => {
    for (const endpoint of endpoints) {
      const known = knownOf(await freshCast());
      await stalls.attempt(ledger, `${endpoint.name} keeps nobody waiting`, async () => {
        await explore(ledger, endpoint, inside(endpoint, known), INSIDE, async (given) => {
          const { answer, fault } = await send(endpoint, given);
          return fault ?? refusalFault(endpoint, given, answer);
        });
        return undefined;
      });
    }
    ledger.enter('no server has failed', service.complaint());
    ledger.note(stalls.summary());
  },
  900_000,
);
