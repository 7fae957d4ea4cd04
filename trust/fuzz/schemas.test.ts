import { maxHeaderSize } from 'node:http';
import fc, { type Arbitrary } from 'fast-check';
import { afterAll, beforeAll, expect } from 'vitest';
import type { OpenApiDocument } from '../../packages/server/src/http/openapi-document.ts';
import { isFull, rounds, SEED } from '../effort.ts';
import { cases, type Ledger } from '../ledger.ts';
import { type Answer, ask, bearerOf, codeOf, faultOf } from './ask-fixture.ts';
import { changeDuring } from './rows-fixture.ts';
import { type Endpoint, endpointsOf } from './schemas-operations-fixture.ts';
import { type CallerName, inside, outside, type Try } from './schemas-requests-fixture.ts';
import { type Account, type Service, startService } from './service-fixture.ts';
import { createStalls } from './stalls-fixture.ts';

/** The number of generated requests for each endpoint. The seed is the same in every test run, but not in campaigns. */
const OUTSIDE = rounds(3, 220);
const INSIDE = rounds(1, 120);
/** The whole database is compared after this many endpoints. */
const ENDPOINTS_PER_COMPARISON = rounds(40, 1);

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

type Cast = Readonly<Record<Exclude<CallerName, 'nobody'>, Account>>;

/** Creates the callers. They are replaced if a request ends their sessions. */
async function createCast(): Promise<Cast> {
  const owner = await service.insertUser();
  const { organization_id } = owner;
  const verified = { aal: 'aal2', mfa_verified_at: new Date() } as const;
  const [member, admin] = await Promise.all([
    service.insertUser({ organization_id, role: 'member' }),
    service.insertUser({ platform_role: 'owner', email_verified: true, ...verified }),
  ]);
  return { owner, member, 'platform owner': admin };
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

/** The callers are replaced after this time, because a second factor counts for five minutes only. */
const FRESH_MS = 120_000;
let cast: Cast;
let since = 0;

async function freshCast(): Promise<Cast> {
  if (Date.now() - since > FRESH_MS) {
    cast = await createCast();
    since = Date.now();
  }
  return cast;
}

interface Sent {
  readonly answer: Answer;
  readonly fault: string | undefined;
}

/** Sends a request; if an earlier one has ended the caller's session, creates new callers and sends it again. */
async function send({ signed_in }: Endpoint, given: Try): Promise<Sent> {
  const sent = await sendOnce(given);
  if (!signed_in || given.caller === 'nobody' || codeOf(sent.answer) !== 'authentication_required') return sent;
  cast = await createCast();
  return sendOnce(given);
}

async function sendOnce(given: Try): Promise<Sent> {
  const url = service.url();
  const { caller: _caller, by: _by, odd, odd_path, ...asked } = given;
  const answer = await ask(url, { ...asked, headers: { ...asked.headers, ...credentialsOf(given) } });
  return { answer, fault: faultOf(url, asked, answer, odd_path ? undefined : odd) };
}

function refusalFault(endpoint: Endpoint, given: Try, answer: Answer): string | undefined {
  const { caller, by, odd, odd_path, path } = given;
  const seen = `${answer.status} ${answer.text.slice(0, 200)}`;
  // Node rejects a longer request line, for any caller.
  if (answer.status === 400 && path.length > maxHeaderSize) return undefined;
  // The router matches no path with such a long segment, for any caller.
  if (
    answer.status === 404 &&
    path
      .split('?')[0]!
      .split('/')
      .some((segment) => decodeURIComponent(segment).length > 200)
  )
    return undefined;
  if (endpoint.signed_in && caller === 'nobody') return answer.status === 401 ? undefined : `not 401 but ${seen}`;
  if (by === 'cookie without CSRF') return codeOf(answer) === 'csrf_failed' ? undefined : `no CSRF, and ${seen}`;
  if (odd === undefined) return undefined;
  if (answer.status < 400 || answer.status === 409) return `${odd} is not refused, but ${seen}`;
  // A platform owner passes all guards except those of other organizations.
  const isOwner = caller === 'platform owner' && by === 'bearer' && !endpoint.path.includes('{org_id}');
  const expected = odd_path ? [400, 404] : [400];
  return !isOwner || expected.includes(answer.status) ? undefined : `${odd}: not ${expected.join(' or ')} but ${seen}`;
}

/** Checks a property. If it fails, adds a minimal counterexample to the ledger, to reproduce the failure. */
async function explore(
  ledger: Ledger,
  endpoint: Endpoint,
  tries: Arbitrary<Try>,
  runs: number,
  check: (given: Try) => Promise<string | undefined>,
): Promise<void> {
  let passed = 0;
  const property = fc.asyncProperty(tries, async (given) => {
    const fault = await check(given);
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
  'requests one step outside of the schema or without access are refused with the name of the field, and nothing is written',
  async (ledger) => {
    ledger.note(`seed ${SEED}`);
    const statuses = new Map<string, Set<number>>();
    for (let first = 0; first < endpoints.length; first += ENDPOINTS_PER_COMPARISON) {
      const some = endpoints.slice(first, first + ENDPOINTS_PER_COMPARISON);
      const known = knownOf(await freshCast());
      const change = await changeDuring(service.database, async () => {
        for (const endpoint of some) {
          const tries = outside(endpoint, known);
          if (!tries) continue;
          const seen = new Set<number>();
          statuses.set(endpoint.name, seen);
          await explore(ledger, endpoint, tries, OUTSIDE, async (given) => {
            const { answer, fault } = await send(endpoint, given);
            seen.add(answer.status);
            return fault ?? refusalFault(endpoint, given, answer);
          });
        }
      });
      ledger.enter(`${some.map(({ name }) => name)}, all refused: nothing is written`, change);
    }
    ledger.enter('no server has failed', service.complaint());
    // Ensures that the guards did not refuse everything before validation.
    if (isFull) {
      for (const { name, body, takes_anything } of endpoints) {
        if (body?.type === 'application/json' && !takes_anything) expect(statuses.get(name), name).toContain(400);
      }
    }
  },
  600_000,
);

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

cases('a method that a path does not have is 404 or 403', async (ledger) => {
  const paths = [...new Set(endpoints.map(({ path }) => path))];
  const { 'platform owner': admin } = await freshCast();
  const change = await changeDuring(service.database, async () => {
    for (const [index, path] of paths.entries()) {
      const known = endpoints.filter((endpoint) => endpoint.path === path).map(({ method }) => method);
      const others = METHODS.filter((method) => !known.includes(method));
      for (const method of isFull ? others : others.slice(index % others.length).slice(0, 1)) {
        const asked = { method, path: path.replaceAll(/\{\w+\}/g, admin.user_id), headers: bearerOf(admin) };
        await ledger.attempt(`${method} ${path}`, async () => {
          const { status, text } = await ask(service.url(), asked);
          // Another path may match, for example `/users/{id}`, and refuse the caller.
          return status === 404 || status === 403 ? undefined : `${status} ${text.slice(0, 200)}`;
        });
      }
    }
  });
  ledger.enter('nothing is written', change);
});

cases(
  'responses to valid requests match the document',
  async (ledger) => {
    for (const endpoint of endpoints) {
      const known = knownOf(await freshCast());
      await stalls.attempt(ledger, `${endpoint.name} does not delay other requests`, async () => {
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
