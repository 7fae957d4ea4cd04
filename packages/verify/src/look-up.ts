import { createBoundedCache } from './bounded-cache.ts';
import { boundedFetch } from './bounded-fetch.ts';
import { type CurrentSession, readCurrentSession } from './current-session.ts';
import { bodyOf } from './document.ts';
import { age, type Moment, now } from './moment.ts';
import type { Settings } from './options.ts';
import type { Session } from './session.ts';
import { VerifyError } from './verify-error.ts';

interface LookUps {
  /** Returns the service's response about this session, at most `lookUpSeconds` old. */
  find(token: string, session: Session): Promise<CurrentSession>;
  /**
   * Like `find`, and throws the error that `refusal` returns for the response. Before it throws because of a response
   * that is older than a second, it asks the service again.
   */
  require(
    token: string,
    session: Session,
    refusal: (current: CurrentSession) => VerifyError | undefined,
  ): Promise<CurrentSession>;
}

interface Question {
  readonly started: Moment;
  /** The response, shared by all callers while it is pending, and after that until it is too old. */
  readonly answer: Promise<CurrentSession>;
}

const TIMEOUT_MS = 5_000;
const MAX_BYTES = 256 * 1024;
const MAX_CACHED = 10_000;
/** How old a response may be for a rejection. Not 0: repeated rejections must not cause a flood of requests. */
const MAX_REJECTION_AGE_MS = 1_000;

export function createLookUps({ address, routePrefix, fetch, lookUpSeconds }: Settings): LookUps {
  const questions = createBoundedCache<Question>(MAX_CACHED);

  const ask = (token: string, session: Session): Question => {
    const question = { started: now(), answer: fetchSession(token, session) };
    questions.set(token, question);
    question.answer.catch(() => {
      if (questions.get(token) === question) questions.delete(token);
    });
    return question;
  };

  const fetchSession = async (token: string, session: Session): Promise<CurrentSession> => {
    const url = `${address}${routePrefix}/auth/session`;
    const headers = { authorization: `Bearer ${token}` };
    try {
      const answer = await boundedFetch({ url, fetch, headers, maxBytes: MAX_BYTES, timeoutMs: TIMEOUT_MS });
      if (answer.status === 401) throw new VerifyError('session_revoked', 'the service does not accept this session');
      return readCurrentSession(bodyOf(answer), session);
    } catch (cause) {
      if (cause instanceof VerifyError) throw cause;
      throw new VerifyError('service_unreachable', 'the session could not be requested from the service', { cause });
    }
  };

  const cached = (token: string): Question | undefined => {
    const question = questions.get(token);
    return question && age(question.started) < lookUpSeconds * 1000 ? question : undefined;
  };

  return {
    find: (token, session) => (cached(token) ?? ask(token, session)).answer,
    async require(token, session, refusal) {
      const oldest = now().steady - MAX_REJECTION_AGE_MS;
      let question = cached(token) ?? ask(token, session);
      let refused = refusal(await question.answer);
      if (refused && question.started.steady < oldest) {
        const newest = questions.get(token);
        question = newest && newest.started.steady >= oldest ? newest : ask(token, session);
        refused = refusal(await question.answer);
      }
      if (refused) throw refused;
      return question.answer;
    },
  };
}
