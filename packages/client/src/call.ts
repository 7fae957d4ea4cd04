import { TIMEOUT_MS } from './credentials/mutex.ts';
import type { Credential } from './credentials/store.ts';
import {
  failureOf,
  GatehouseError,
  isGatehouseError,
  notSignedInError,
  signedOut,
  unreachable,
} from './gatehouse-error.ts';
import { climbs } from './path.ts';
import type { Refresh } from './refresh.ts';
import type { Transport } from './transport.ts';

interface Ask {
  /** Flat; what is null or blank is left out. */
  readonly query?: object | undefined;
  readonly body?: unknown;
  readonly as?: Credential;
  /** It opens a session, ends it or changes what it is made of: no refresh is under way meanwhile, whose answer would be of the one before. */
  readonly changesSession?: boolean;
  /** With its success the session is over. */
  readonly ends?: boolean;
  readonly signal?: AbortSignal | undefined;
}

export type Call = <T>(method: string, path: string, ask?: Ask) => Promise<T>;

/** Milliseconds that a sign-out waits for what others do to the session. */
const LOGOUT_TIMEOUT_MS = 3_000;

/** These change nothing: they need no CSRF header, and can be asked twice. */
const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/** One request after another: after a refresh where the session asks for one, its failures as one class of error. */
export function createCall({ base, fetch, store, person: user }: Transport, refresh: Refresh): Call {
  /** `onBegin` is called when nobody else's turn can change the session any more. */
  const send = <T>(method: string, path: string, ask: Ask, onBegin = () => {}): Promise<T> => {
    const work = (limit?: AbortSignal) => {
      onBegin();
      return sendNow<T>(method, path, ask, limit);
    };
    if (!ask.changesSession && !ask.ends) return work();
    // Who wants to leave does not wait for others.
    return orAborted(store.runExclusive(work, ask.ends ? LOGOUT_TIMEOUT_MS : TIMEOUT_MS), ask.signal);
  };

  const sendNow = async <T>(method: string, path: string, ask: Ask, limit?: AbortSignal): Promise<T> => {
    ask.signal?.throwIfAborted();
    const either = eitherOf(ask.signal, limit);
    const isForm = ask.body instanceof FormData;
    const hasJson = ask.body !== undefined && !isForm;
    // An answer may also break off in its middle.
    const lost = (error: unknown): never => {
      throw ask.signal?.aborted ? error : unreachable(error);
    };
    const answer = await fetch(base + path + queryString(ask.query), {
      ...store.init,
      method,
      headers: {
        accept: 'application/json',
        ...(hasJson && { 'content-type': 'application/json' }),
        ...store.show(!SAFE.has(method), ask.as ?? 'session', user()),
      },
      ...(ask.body !== undefined && { body: isForm ? (ask.body as FormData) : JSON.stringify(ask.body) }),
      ...(either.signal && { signal: either.signal }),
    }).catch(lost);
    const body = answer.ok ? await bodyOf<T>(answer).catch(lost) : undefined;
    either.end();
    await store.keep(answer, body);
    if (!answer.ok) throw await failureOf(answer, { hasBody: method !== 'HEAD' });
    if (ask.ends) await store.forget();
    return body as T;
  };

  /** A wrong password is 401 too: before a write is tried once more, the session itself is asked. */
  const hasEnded = async (method: string, { signal }: Ask): Promise<boolean> => {
    if (SAFE.has(method) || store.seen() === undefined) return true;
    return send('GET', '/auth/session', { signal }).then(
      () => false,
      (error) => {
        if (isGatehouseError(error, 'authentication_required')) return true;
        throw error;
      },
    );
  };

  /** Resolves when the same request is worth another try, and otherwise rejects with what it failed by. */
  const mend = async (error: unknown, method: string, ask: Ask, seen: string | undefined): Promise<void> => {
    // Another tab has signed in, or switched organization, between our reading the cookie and the browser sending it.
    if (isGatehouseError(error, 'csrf_failed') && store.seen() !== seen) return;
    if (!isGatehouseError(error, 'authentication_required')) throw error;
    // Nobody was signed in to begin with.
    if (seen === undefined) throw (ask.as ?? 'session') === 'session' ? signedOut(error) : error;
    if (!(await hasEnded(method, ask))) throw error;
    if (!(await orAborted(refresh(seen), ask.signal))) throw signedOut(error);
  };

  return async <T>(method: string, path: string, ask: Ask = {}): Promise<T> => {
    if (climbs(path)) throw new GatehouseError({ code: 'not_found', status: 0, message: 'there is no such thing' });
    const { as = 'session', signal } = ask;
    signal?.throwIfAborted();
    if (as === 'none') return send<T>(method, path, ask);
    if (store.seen() === undefined) {
      const renewed = orAborted(refresh(undefined), signal);
      const goesOn = await (as === 'optional' ? renewed.catch(() => signal?.throwIfAborted()) : renewed);
      // Where the access token is ours to show, and there is none, the answer is known.
      if (goesOn === false && as === 'session' && store.accessToken) throw notSignedInError();
    }
    let seen = store.seen();
    const look = () => {
      seen = store.seen();
    };
    return send<T>(method, path, ask, look).catch(async (error) => {
      await mend(error, method, ask, seen);
      return send<T>(method, path, ask);
    });
  };
}

/** A signal for what two may end. (`AbortSignal.any` is too young for some browsers.) */
function eitherOf(one: AbortSignal | undefined, other: AbortSignal | undefined) {
  if (!one || !other) return { signal: one ?? other, end: () => {} };
  const both = new AbortController();
  const abort = () => both.abort(one.aborted ? one.reason : other.reason);
  for (const signal of [one, other]) signal.addEventListener('abort', abort, { once: true });
  return {
    signal: both.signal,
    end: () => {
      for (const signal of [one, other]) signal.removeEventListener('abort', abort);
    },
  };
}

/** A refresh is shared: who gives up no longer waits for it, and it goes on for the others. */
function orAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

async function bodyOf<T>(answer: Response): Promise<T> {
  if (answer.status === 204) return undefined as T;
  const isJson = answer.headers.get('content-type')?.startsWith('application/json');
  return (isJson ? await answer.json() : await answer.blob()) as T;
}

function queryString(query: Ask['query']): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== undefined && value !== null && value !== '') given.set(name, String(value));
  }
  return given.size === 0 ? '' : `?${given}`;
}
