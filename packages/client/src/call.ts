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
import { isUnsafe } from './path.ts';
import type { Refresh } from './refresh.ts';
import type { Transport } from './transport.ts';

interface Ask {
  /** The query parameters, not nested. Undefined, null and empty values are omitted. */
  readonly query?: object | undefined;
  readonly body?: unknown;
  readonly as?: Credential;
  /** Whether the call opens a session or changes its tokens. No refresh of the old session runs at the same time. */
  readonly changesSession?: boolean;
  /** Whether the call ends the session if it succeeds. */
  readonly ends?: boolean;
  readonly signal?: AbortSignal | undefined;
}

export type Call = <T>(method: string, path: string, ask?: Ask) => Promise<T>;

/** How long a sign-out waits for other changes of the session. */
const LOGOUT_TIMEOUT_MS = 3_000;

/** Methods that change nothing: they need no CSRF header and can be repeated. */
const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/** Returns the function that sends all calls. It renews the session if needed and rejects with GatehouseError. */
export function createCall({ base, fetch, store, user }: Transport, refresh: Refresh): Call {
  /** `onBegin` is called when no other request can change the session. */
  const send = <T>(method: string, path: string, ask: Ask, onBegin = () => {}): Promise<T> => {
    const work = (limit?: AbortSignal) => {
      onBegin();
      return sendNow<T>(method, path, ask, limit);
    };
    if (!ask.changesSession && !ask.ends) return work();
    // A sign-out waits only briefly for the mutex.
    return orAborted(store.runExclusive(work, ask.ends ? LOGOUT_TIMEOUT_MS : TIMEOUT_MS), ask.signal);
  };

  const sendNow = async <T>(method: string, path: string, ask: Ask, limit?: AbortSignal): Promise<T> => {
    ask.signal?.throwIfAborted();
    const either = eitherOf(ask.signal, limit);
    const isForm = ask.body instanceof FormData;
    const hasJson = ask.body !== undefined && !isForm;
    // The connection may also fail while the body is read.
    const lost = (error: unknown): never => {
      throw ask.signal?.aborted ? error : unreachable(error);
    };
    const answer = await fetch(base + path + queryString(ask.query), {
      ...store.init,
      method,
      headers: {
        accept: 'application/json',
        ...(hasJson && { 'content-type': 'application/json' }),
        ...store.headersFor(!SAFE.has(method), ask.as ?? 'session', user()),
      },
      ...(ask.body !== undefined && { body: isForm ? (ask.body as FormData) : JSON.stringify(ask.body) }),
      ...(either.signal && { signal: either.signal }),
    }).catch(lost);
    const body = answer.ok ? await bodyOf<T>(answer).catch(lost) : undefined;
    either.end();
    await store.store(answer, body);
    if (!answer.ok) throw await failureOf(answer, { hasBody: method !== 'HEAD' });
    if (ask.ends) await store.clear();
    return body as T;
  };

  /** Returns whether the session has ended. A wrong password is a 401 too, so after a write the service is asked. */
  const hasEnded = async (method: string, { signal }: Ask): Promise<boolean> => {
    if (SAFE.has(method) || store.version() === undefined) return true;
    return send('GET', '/auth/session', { signal }).then(
      () => false,
      (error) => {
        if (isGatehouseError(error, 'authentication_required')) return true;
        throw error;
      },
    );
  };

  /** Resolves if the failed request should be repeated, otherwise rejects with its error. */
  const prepareRetry = async (error: unknown, method: string, ask: Ask, version: string | undefined): Promise<void> => {
    // Another tab signed in or switched organization after the CSRF cookie was read and before the request was sent.
    if (isGatehouseError(error, 'csrf_failed') && store.version() !== version) return;
    if (!isGatehouseError(error, 'authentication_required')) throw error;
    // The request was sent without a session.
    if (version === undefined) throw (ask.as ?? 'session') === 'session' ? signedOut(error) : error;
    if (!(await hasEnded(method, ask))) throw error;
    if (!(await orAborted(refresh(version), ask.signal))) throw signedOut(error);
  };

  return async <T>(method: string, path: string, ask: Ask = {}): Promise<T> => {
    if (isUnsafe(path))
      throw new GatehouseError({
        code: 'not_found',
        status: 0,
        message: 'an id in the path is empty, "." or ".."; pass it as the service returned it',
      });
    const { as = 'session', signal } = ask;
    signal?.throwIfAborted();
    if (as === 'none') return send<T>(method, path, ask);
    if (store.version() === undefined) {
      const renewed = orAborted(refresh(undefined), signal);
      const hasSession = await (as === 'optional' ? renewed.catch(() => signal?.throwIfAborted()) : renewed);
      // If the client sends the access token itself and has none, the service would only respond 401.
      if (hasSession === false && as === 'session' && store.accessToken) throw notSignedInError();
    }
    let version = store.version();
    const rememberVersion = () => {
      version = store.version();
    };
    return send<T>(method, path, ask, rememberVersion).catch(async (error) => {
      await prepareRetry(error, method, ask, version);
      return send<T>(method, path, ask);
    });
  };
}

/** Combines two signals. (`AbortSignal.any` is missing in some supported browsers.) */
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

/** Rejects when `signal` aborts, without stopping `work`: other calls may share it. */
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
