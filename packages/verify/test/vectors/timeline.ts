import type {
  Kind,
  Scenario,
  VectorCheck,
  VectorNeeds,
  VectorRequest,
  VectorResponse,
  VectorVerdict,
} from './format.ts';
import { ISSUER, START } from './sign.ts';

export const time = (at: number): string => new Date(START + at).toISOString();
const httpDate = (at: number): string => new Date(START + at).toUTCString();

/** How the verifier must treat a response: `unmerged` is a failed poll after which it asks for the full feed. */
type Effect = 'ok' | 'failed' | 'unmerged';

const POLL_MS = 2_000;
const FIRST_RETRY_MS = 250;

interface FeedOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly takes_ms?: number;
  /** The service's clock minus the verifier's. */
  readonly clock?: number;
}

/** The polls of one scenario, with the times and parameters that the rules prescribe. */
export function createPolls() {
  const requests: VectorRequest[] = [];
  let next = 0;
  let cursor: string | undefined;
  let tag: string | undefined;
  let failures = 0;

  const add = (response: VectorResponse | null, effect: Effect): void => {
    requests.push({
      at: next,
      path: '/.well-known/service-revocations.json',
      ...(cursor !== undefined && { after: cursor }),
      ...(tag !== undefined && { if_none_match: tag }),
      response,
    });
    failures = effect === 'ok' ? 0 : failures + 1;
    const retry = Math.min(POLL_MS, FIRST_RETRY_MS * 2 ** (failures - 1));
    const taken = response?.takes_ms ?? 0;
    next += effect === 'ok' ? Math.max(POLL_MS, taken) : taken + retry;
  };

  const polls = {
    requests,
    /** A 200 with this body; `generated_at`, `Date`, an ETag and a cursor are added. */
    feed(body: Readonly<Record<string, unknown>> = {}, { headers = {}, takes_ms, clock = 0 }: FeedOptions = {}) {
      const number = requests.length + 1;
      const full = {
        generated_at: time(next + clock),
        max_staleness_seconds: 5,
        cursor: `cursor-${number}`,
        revocations: [],
        refreshes: [],
        ...body,
      };
      const sent = { etag: `W/"tag-${number}"`, date: httpDate(next + clock), ...headers };
      return polls.answer({ status: 200, headers: sent, body: full, ...(takes_ms && { takes_ms }) }, 'ok');
    },
    /** Adds any response. The next poll must send the cursor and tag of a response with the effect `ok`. */
    answer(response: VectorResponse | null, effect: Effect) {
      add(response, effect);
      if (effect === 'unmerged') cursor = undefined;
      if (effect !== 'ok' || response?.status !== 200) return polls;
      const { cursor: given } = response.body as { cursor?: unknown };
      if (typeof given === 'string' && given.length <= 2_000) cursor = given;
      tag = response.headers?.etag;
      return polls;
    },
    /** Sets the cursor that the next poll must send, if it is not that of the last response. */
    keepCursor(kept: string | undefined) {
      cursor = kept;
      return polls;
    },
    unchanged(count = 1) {
      const response = { status: 304, headers: { etag: tag!, date: httpDate(next) } };
      add(response, 'ok');
      if (count === 1) return polls;
      requests[requests.length - 1] = { ...requests.at(-1)!, every_ms: POLL_MS, count };
      next += POLL_MS * (count - 1);
      return polls;
    },
    /** The next poll is sent on demand at this time, because the verifier was asleep. */
    resumeAt(at: number) {
      next = at;
      return polls;
    },
  };
  return polls;
}

type Polls = ReturnType<typeof createPolls>;

export const oneKeyRequest = (key_set = 'first', path = '/.well-known/jwks.json'): VectorRequest[] => [
  { at: 0, path, response: { status: 200, headers: { etag: `W/"${key_set}"` }, key_set } },
];

interface ScenarioParts {
  readonly options?: Partial<Scenario['options']>;
  readonly ready?: boolean;
  readonly sleeps?: Scenario['sleeps'];
  readonly polls?: Polls;
  readonly requests?: Partial<Record<Kind, readonly VectorRequest[]>>;
  readonly checks: readonly VectorCheck[];
}

/** By default: one key set at the start, and an empty feed. */
export const scenario = (name: string, parts: ScenarioParts): Scenario => ({
  name,
  options: { issuer: ISSUER, ...parts.options },
  starts_at: time(0),
  ready: parts.ready ?? true,
  ...(parts.sleeps && { sleeps: parts.sleeps }),
  requests: {
    keys: oneKeyRequest(),
    feed: (parts.polls ?? createPolls().feed()).requests,
    ...parts.requests,
  },
  checks: parts.checks,
});

export const check = (
  at: number,
  about: string,
  token: string,
  verdict: VectorVerdict,
  needs?: VectorNeeds,
): VectorCheck => ({ about, at, authorization: `Bearer ${token}`, ...(needs && { needs }), verdict });

export const basic = (key: string): string => `Basic ${Buffer.from(`${key.slice(0, 16)}:${key}`).toString('base64')}`;
