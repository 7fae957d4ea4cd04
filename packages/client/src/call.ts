import { failureOf, GatehouseError, isGatehouseError, signedOut, unreachable } from './gatehouse-error.ts';
import { climbs } from './path.ts';
import { csrfToken, type Refresh } from './refresh.ts';

/**
 * What a call needs to know of the session. `none`: the endpoint looks at no credential, or does well without. `session`: it needs one, so an
 * access cookie that has ended is renewed. `optional`: it is better with one.
 */
type Credential = 'none' | 'session' | 'optional';

export interface Ask {
  readonly query?: Readonly<Record<string, string | number | boolean | null | undefined>> | undefined;
  readonly body?: unknown;
  readonly as?: Credential;
  readonly signal?: AbortSignal | undefined;
}

export type Call = <T>(method: string, path: string, ask?: Ask) => Promise<T>;

export interface Transport {
  /** The address of the API with its prefix: `https://id.example.com/v1`, or `/v1` on its own pages. */
  readonly base: string;
  readonly fetch: typeof fetch;
  /** Whose page this is, once it is known: a write of theirs is refused while somebody else is signed in. */
  readonly person: () => string | undefined;
}

/** These change nothing: they need no CSRF header, and can be asked twice. */
const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/** One request after another: with the CSRF header, after a refresh where the session asks for one, its failures as one class of error. */
export function createCall({ base, fetch, person }: Transport, refresh: Refresh): Call {
  const send = async <T>(method: string, path: string, ask: Ask): Promise<T> => {
    const csrf = csrfToken();
    const headers: Record<string, string> = { accept: 'application/json' };
    if (!SAFE.has(method) && csrf !== undefined) headers['x-service-csrf'] = csrf;
    const shown = person();
    if (!SAFE.has(method) && ask.as !== 'none' && shown !== undefined) headers['x-service-user'] = shown;
    const isForm = ask.body instanceof FormData;
    if (ask.body !== undefined && !isForm) headers['content-type'] = 'application/json';
    // An answer may also break off in its middle.
    const lost = (error: unknown): never => {
      throw ask.signal?.aborted ? error : unreachable(error);
    };
    const answer = await fetch(base + path + queryString(ask.query), {
      method,
      headers,
      credentials: 'include',
      ...(ask.body !== undefined && { body: isForm ? (ask.body as FormData) : JSON.stringify(ask.body) }),
      ...(ask.signal && { signal: ask.signal }),
    }).catch(lost);
    if (!answer.ok) throw await failureOf(answer, { hasBody: method !== 'HEAD' });
    return bodyOf<T>(answer).catch(lost);
  };

  /** A wrong password is 401 too: before a write is tried once more, the session itself is asked. */
  const hasEnded = async (method: string): Promise<boolean> => {
    if (SAFE.has(method) || csrfToken() === undefined) return true;
    return send('GET', '/auth/session', {}).then(
      () => false,
      (error) => {
        if (isGatehouseError(error, 'authentication_required')) return true;
        throw error;
      },
    );
  };

  /** Resolves when the same request is worth another try, and otherwise rejects with what it failed by. */
  const mend = async (error: unknown, method: string, as: Credential, seen: string | undefined): Promise<void> => {
    // Another tab has signed in, or switched organization, between our reading the cookie and the browser sending it.
    if (isGatehouseError(error, 'csrf_failed') && csrfToken() !== seen) return;
    if (!isGatehouseError(error, 'authentication_required')) throw error;
    // Nobody was signed in to begin with.
    if (seen === undefined) throw as === 'session' ? signedOut(error) : error;
    if (!(await hasEnded(method))) throw error;
    if (!(await refresh(seen))) throw signedOut(error);
  };

  return async <T>(method: string, path: string, ask: Ask = {}): Promise<T> => {
    if (climbs(path)) throw new GatehouseError({ code: 'not_found', status: 0, message: 'there is no such thing' });
    const { as = 'session' } = ask;
    if (as === 'none') return send<T>(method, path, ask);
    if (csrfToken() === undefined) {
      const renewed = refresh(undefined);
      await (as === 'optional' ? renewed.catch(() => false) : renewed);
    }
    const seen = csrfToken();
    return send<T>(method, path, ask).catch(async (error) => {
      await mend(error, method, as, seen);
      return send<T>(method, path, ask);
    });
  };
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
