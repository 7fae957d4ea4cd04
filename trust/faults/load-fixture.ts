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
import { isFull } from '../effort.ts';
import type { Promises } from './promises-fixture.ts';

interface LoadOptions {
  readonly url: (worker: number) => string;
  readonly concurrency: number;
  /** Returns an access token of a platform owner, for writing flags. */
  readonly owner: () => string;
  readonly promises: Promises;
  /** Whether the requests of one worker go to several replicas, which learn of changes within seconds. */
  readonly balanced?: boolean;
  /** Milliseconds after each request, so that the load does not use the whole machine. The full form has none. */
  readonly pause?: number;
}

interface Load {
  /** Responses that no fault explains. There must be none. */
  readonly odd: string[];
  readonly failures: readonly Failure[];
  readonly answered: number;
  /** Resolves when every worker has completed a round without a failure, starting now. */
  calm(): Promise<void>;
  stop(): Promise<void>;
}

interface Failure {
  readonly at: number;
  /** When the request was sent. Both times are of the monotonic clock, in milliseconds. */
  readonly asked_at: number;
  /** The HTTP status; 0 if there was no response. */
  readonly status: number;
  readonly what: string;
  readonly reason?: string;
}

class Failed extends Error {}

/** Several concurrent workers: each registers a user, signs in, refreshes, writes and signs out, in a loop. */
export function startLoad({
  url,
  concurrency,
  owner,
  promises,
  balanced = false,
  pause = isFull ? 0 : 60,
}: LoadOptions): Load {
  const odd: string[] = [];
  const failures: Failure[] = [];
  const rounds = Array.from({ length: concurrency }, () => ({ clean: 0, begun: 0 }));
  let answered = 0;
  let stopped = false;

  /** Returns the response if it has the expected status. Anything else ends the round. */
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

  const work = async (worker: number): Promise<void> => {
    const at = url(worker);
    const browser = createBrowser(at);
    const email = newEmail('load');
    const registered = await ask('register', 201, () =>
      browser.post('/auth/register', { email, password: PASSWORD, organization_name: 'Load' }),
    );
    const { user_id, organization_id } = registered.json.user;
    const first = await openSession(registered);
    promises.registered({ user_id, organization_id, sid: first.sid, email });
    await keepFlag(worker, at);
    await refresh(browser, first.sid);

    const second = createBrowser(at);
    const login = await ask('login', 200, () => second.post('/auth/login', { email, password: PASSWORD }));
    const { sid, token } = await openSession(login);
    promises.opened(sid);
    await ask('session', 200, () => createBrowser(at).get('/auth/session', bearer(token)));
    await refresh(second, sid);

    promises.ending(sid);
    await ask('logout', 204, () => second.post('/auth/logout'));
    promises.ended(sid);
    if (balanced) return;
    // This replica must refuse the ended session, whatever has failed in the meantime.
    const again = await createBrowser(at)
      .get('/auth/session', bearer(token))
      .catch(() => undefined);
    if (again?.status === 200) odd.push('a revoked session was accepted');
  };

  const keepFlag = async (worker: number, at: string): Promise<void> => {
    const flag_key = `load-${worker}`;
    const count = promises.flagging(flag_key);
    const body = { flag_key, enabled: true, value: { count } };
    await ask('flag', 200, () => createBrowser(at).send('PUT', '/admin/feature-flags', { ...bearer(owner()), body }));
    promises.flagged(flag_key, count);
  };

  const refresh = async (browser: Browser, sid: string): Promise<void> => {
    promises.refreshing(sid);
    await ask('refresh', 200, () => browser.post('/auth/refresh'));
    promises.refreshed(sid, claimsOf(browser.jar.get('service_rt')!).jti);
  };

  const run = async (worker: number): Promise<void> => {
    const own = rounds[worker]!;
    while (!stopped) {
      own.begun = performance.now();
      try {
        await work(worker);
        own.clean = own.begun;
      } catch (error) {
        if (!(error instanceof Failed)) throw error;
        await sleep(20);
      }
    }
  };
  const running = Promise.all(rounds.map((_, worker) => run(worker)));
  // `stop` awaits this promise and reports its error.
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

/** §7: a failing database is 500 `internal_error`; overload is 429 with Retry-After. */
function isTolerable({ status, json, headers }: Answer): boolean {
  if (status === 500) return json?.error?.code === 'internal_error';
  return status === 429 && json?.error?.code === 'rate_limited' && headers['retry-after'] !== undefined;
}
