import { vi } from 'vitest';
import { admit, createVerifier, type Needs, type Session, VerifyError } from '../../src/index.ts';
import type {
  Kind,
  Scenario,
  VectorFile,
  VectorNeeds,
  VectorRequest,
  VectorResponse,
  VectorVerdict,
} from './format.ts';
import { KINDS } from './format.ts';

const expand = (requests: readonly VectorRequest[] = []): VectorRequest[] =>
  requests.flatMap(({ every_ms = 0, count = 1, ...request }) =>
    Array.from({ length: count }, (_, index) => ({ ...request, at: request.at + index * every_ms })),
  );

const kindOf = (path: string): Kind => {
  if (path.endsWith('/jwks.json')) return 'keys';
  if (path.endsWith('/service-revocations.json')) return 'feed';
  return path === '/oauth/token' ? 'exchange' : 'session';
};

function describeRequest(url: string, init: RequestInit): { readonly path: string } {
  const { pathname, searchParams } = new URL(url);
  const headers = new Headers(init.headers);
  const rest = {
    after: searchParams.get('after'),
    if_none_match: headers.get('if-none-match'),
    authorization: headers.get('authorization'),
    form: init.body ?? null,
  };
  return { path: pathname, ...Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null)) };
}

const textOf = ({ body, text, key_set }: VectorResponse, keySets: VectorFile['key_sets']): string => {
  if (key_set !== undefined) return JSON.stringify(keySets[key_set]);
  return text ?? (body === undefined ? '' : JSON.stringify(body));
};

const CHUNK_MS = 1_000;

/** A body that arrives in chunks, the last one after `takesMs`. */
function slowBody(text: string, takesMs: number): ReadableStream<Uint8Array> {
  const chunks = Math.ceil(takesMs / CHUNK_MS);
  return new ReadableStream({
    async start(controller) {
      for (let index = 0; index < chunks; index++) {
        await new Promise((resolve) => setTimeout(resolve, Math.min(CHUNK_MS, takesMs - index * CHUNK_MS)));
        const part = text.slice((text.length * index) / chunks, (text.length * (index + 1)) / chunks);
        activity++;
        controller.enqueue(new TextEncoder().encode(part));
      }
      controller.close();
    },
  });
}

const STEP_MS = 250;
/** Rounds down to 10 ms, because a fake timer of 0 ms fires after 1 ms. */
const roundDown = (ms: number): number => ms - (ms % 10);

const ROUNDS = 12;

/** Imports of keys, which run outside of the fake timers. */
const imports = new Set<Promise<unknown>>();

/** Counts requests and chunks, which leave promises to settle. */
let activity = 0;

async function settle(): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) {
    await Promise.allSettled(imports);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

const verdictOf = async (work: Promise<Session>): Promise<VectorVerdict> => {
  try {
    const session = await work;
    const second = (date: Date) => date.getTime() / 1000;
    const times = {
      auth_time: second(session.auth_time),
      issued_at: second(session.issued_at),
      expires_at: second(session.expires_at),
    };
    const entries = Object.entries({ ...session, ...times }).map(([name, value]) => [name, value ?? null]);
    return { session: Object.fromEntries(entries) };
  } catch (error) {
    if (error instanceof VerifyError) return { refused: error.code };
    throw error;
  }
};

const NAMES: Readonly<Record<keyof VectorNeeds, keyof Needs>> = {
  organization: 'organization',
  role: 'role',
  permission: 'permission',
  verified_email: 'verifiedEmail',
  aal: 'aal',
  signed_in_within: 'signedInWithin',
  stepped_up_within: 'steppedUpWithin',
};

const needsOf = (needs: VectorNeeds = {}): Needs =>
  Object.fromEntries(Object.entries(needs).map(([name, value]) => [NAMES[name as keyof VectorNeeds], value]));

interface Result {
  readonly ready: boolean;
  readonly verdicts: readonly VectorVerdict[];
  readonly requests: Readonly<Partial<Record<Kind, readonly object[]>>>;
}

export function expectedOf(scenario: Scenario): Result {
  const requests = KINDS.flatMap((kind) => {
    const list = expand(scenario.requests[kind]).map(({ response: _, ...request }) => request);
    return list.length > 0 ? [[kind, list]] : [];
  });
  return {
    ready: scenario.ready,
    verdicts: scenario.checks.map(({ verdict }) => verdict),
    requests: Object.fromEntries(requests),
  };
}

/** Runs one scenario with the verifier of this package. Time passes only as the scenario says. */
export async function runScenario(scenario: Scenario, keySets: VectorFile['key_sets']): Promise<Result> {
  const start = Date.parse(scenario.starts_at);
  vi.useFakeTimers({ toFake: ['Date', 'performance', 'setTimeout', 'clearTimeout'], now: start });
  const importKey = crypto.subtle.importKey.bind(crypto.subtle) as (...args: unknown[]) => Promise<never>;
  vi.spyOn(crypto.subtle, 'importKey').mockImplementation((...args: unknown[]) => {
    const imported = importKey(...args);
    imports.add(imported);
    return imported;
  });
  const queues = new Map(KINDS.map((kind) => [kind, expand(scenario.requests[kind])]));
  const sent: Partial<Record<Kind, object[]>> = {};
  const fetch = (async (url: string, init: RequestInit) => {
    activity++;
    // `ready()` compares the issuer, which is equal in every scenario: none lists this request.
    if (url.endsWith('/.well-known/openid-configuration')) return Response.json({ issuer: scenario.options.issuer });
    const request = describeRequest(url, init);
    const kind = kindOf(request.path);
    sent[kind] = [...(sent[kind] ?? []), { at: roundDown(Date.now() - start), ...request }];
    const response = queues.get(kind)!.shift()?.response;
    if (!response) throw new TypeError('fetch failed');
    const { status, headers = {}, takes_ms } = response;
    const text = textOf(response, keySets);
    const body = takes_ms ? slowBody(text, takes_ms) : text === '' ? null : text;
    return new Response(body, { status, headers });
  }) as typeof globalThis.fetch;

  const sleeps = [...(scenario.sleeps ?? [])];
  const began = performance.now();
  /** All timers of a scenario are due at multiples of this step, so each fires at the end of one. */
  const nextStep = () => STEP_MS - ((performance.now() - began) % STEP_MS);
  const passUntil = async (at: number): Promise<void> => {
    for (;;) {
      const sleepAt = sleeps[0]?.at ?? Number.POSITIVE_INFINITY;
      const end = start + Math.min(at, sleepAt);
      while (Date.now() < end) {
        const before = activity;
        await vi.advanceTimersByTimeAsync(Math.min(nextStep(), end - Date.now()));
        if (activity !== before) await settle();
      }
      if (sleepAt > at) return;
      vi.setSystemTime(Date.now() + sleeps.shift()!.ms);
    }
  };

  const { issuer, audience, when_feed_fails, max_revocations } = scenario.options;
  const verifier = createVerifier({
    issuer,
    fetch,
    ...(audience !== undefined && { audience }),
    ...(when_feed_fails && { whenFeedFails: when_feed_fails }),
    ...(max_revocations !== undefined && { maxRevocations: max_revocations }),
  });
  try {
    const ready = await verifier.ready().then(
      () => true,
      () => false,
    );
    await settle();
    const verdicts: VectorVerdict[] = [];
    for (const { at, authorization, needs } of scenario.checks) {
      await passUntil(at);
      verdicts.push(await verdictOf(admit(verifier, authorization, needsOf(needs))));
      await settle();
    }
    return { ready, verdicts, requests: sent };
  } finally {
    verifier.close();
    vi.restoreAllMocks();
    vi.useRealTimers();
  }
}
