import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Answer,
  type Browser,
  bearer,
  claimsOf,
  createBrowser,
  newEmail,
  PASSWORD,
} from '../../packages/server/test/browser.ts';
import { TIMEOUT_MS } from '../../packages/server/test/timeouts.ts';
import type { Promises } from './promises-fixture.ts';

interface LoadOptions {
  /** Where the next request of this hand goes. */
  readonly url: (hand: number) => string;
  readonly concurrency: number;
  /** Writes flags: the token of a platform owner. */
  readonly owner: string;
  readonly promises: Promises;
  /** Requests of one hand go to several replicas, which hear of each other within seconds. */
  readonly balanced?: boolean;
  /** A pause after each request, so that a long run does not fill the machine. */
  readonly pause?: number;
}

interface Load {
  /** Answers that no fault explains: whatever happens, there must be none of these. */
  readonly odd: string[];
  /** Answers that told of a failure, and requests without an answer. */
  readonly failures: readonly Failure[];
  readonly answered: number;
  /** Settles when every hand has gone through all it does without a failure, beginning now. */
  calm(): Promise<void>;
  stop(): Promise<void>;
}

interface Failure {
  readonly at: number;
  /** By the monotonic clock, like `at`. */
  readonly asked_at: number;
  /** 0: there was no answer. */
  readonly status: number;
  readonly what: string;
  /** Why there was none. */
  readonly reason?: string;
}

class Failed extends Error {}

/** A steady use of a service by several hands: each registers somebody, signs in, goes on, writes and leaves, again and again. */
export function startLoad({ url, concurrency, owner, promises, balanced = false, pause = 0 }: LoadOptions): Load {
  const odd: string[] = [];
  const failures: Failure[] = [];
  const rounds = Array.from({ length: concurrency }, () => ({ clean: 0, begun: 0 }));
  let answered = 0;
  let stopped = false;

  /** The answer, when it is one of those that the contract has for it. Anything else ends the round. */
  const ask = async (what: string, expected: number, request: () => Promise<Answer>): Promise<Answer> => {
    const asked_at = performance.now();
    let reason = '';
    const answer = await request().catch((error) => {
      reason = String(error.cause?.code ?? error);
    });
    const fail = (status: number) => {
      failures.push({ at: performance.now(), asked_at, status, what, ...(reason && { reason }) });
      return new Failed(what);
    };
    if (!answer) throw fail(0);
    answered += 1;
    if (pause > 0) await sleep(pause);
    if (answer.status === expected) return answer;
    if (!isTolerable(answer)) odd.push(`${what} was answered ${answer.status}: ${answer.text.slice(0, 200)}`);
    throw fail(answer.status);
  };

  const openSession = async (answer: Answer): Promise<{ sid: string; token: string }> => {
    const { user, access_token } = answer.json;
    return { sid: user.session_family_id, token: access_token };
  };

  const work = async (hand: number): Promise<void> => {
    const at = url(hand);
    const browser = createBrowser(at);
    const email = newEmail('load');
    const registered = await ask('register', 201, () =>
      browser.post('/auth/register', { email, password: PASSWORD, organization_name: 'Load' }),
    );
    const { user_id, organization_id } = registered.json.user;
    const first = await openSession(registered);
    promises.registered({ user_id, organization_id, sid: first.sid, email });
    await keepFlag(hand, at);
    await goOn(browser, first.sid);

    const second = createBrowser(at);
    const login = await ask('login', 200, () => second.post('/auth/login', { email, password: PASSWORD }));
    const { sid, token } = await openSession(login);
    promises.opened(sid);
    await ask('session', 200, () => createBrowser(at).get('/auth/session', bearer(token)));
    await goOn(second, sid);

    promises.ending(sid);
    await ask('logout', 204, () => second.post('/auth/logout'));
    promises.ended(sid);
    if (balanced) return;
    // Never again, on this very replica, whatever has broken meanwhile.
    const again = await createBrowser(at)
      .get('/auth/session', bearer(token))
      .catch(() => undefined);
    if (again?.status === 200) odd.push('a session that was ended was let in');
  };

  const keepFlag = async (hand: number, at: string): Promise<void> => {
    const flag_key = `load-${hand}`;
    const count = promises.flagging(flag_key);
    const body = { flag_key, enabled: true, value: { count } };
    await ask('flag', 200, () => createBrowser(at).send('PUT', '/admin/feature-flags', { ...bearer(owner), body }));
    promises.flagged(flag_key, count);
  };

  const goOn = async (browser: Browser, sid: string): Promise<void> => {
    promises.refreshing(sid);
    await ask('refresh', 200, () => browser.post('/auth/refresh'));
    promises.refreshed(sid, claimsOf(browser.jar.get('service_rt')!).jti);
  };

  const run = async (hand: number): Promise<void> => {
    const mine = rounds[hand]!;
    while (!stopped) {
      mine.begun = performance.now();
      try {
        await work(hand);
        mine.clean = mine.begun;
      } catch (error) {
        if (!(error instanceof Failed)) throw error;
        await sleep(20);
      }
    }
  };
  const running = Promise.all(rounds.map((_, hand) => run(hand)));
  // Looked at by `stop`.
  running.catch(() => {});

  return {
    odd,
    failures,
    get answered() {
      return answered;
    },
    async calm() {
      const since = performance.now();
      while (rounds.some(({ clean }) => clean < since)) {
        if (performance.now() - since > TIMEOUT_MS) {
          const last = failures.at(-1);
          throw new Error(`it has not recovered; the last failure: ${last?.what} was answered ${last?.status}`);
        }
        await sleep(20);
      }
    },
    async stop() {
      stopped = true;
      await running;
    },
  };
}

/** §7: a database that fails is 500 `internal_error`; too much at once is 429, with the time to wait. */
function isTolerable({ status, json, headers }: Answer): boolean {
  if (status === 500) return json?.error?.code === 'internal_error';
  return status === 429 && json?.error?.code === 'rate_limited' && headers['retry-after'] !== undefined;
}
