import { createBoundedCache } from './bounded-cache.ts';
import { boundedFetch } from './bounded-fetch.ts';
import { type CurrentSession, readCurrentSession } from './current-session.ts';
import { bodyOf } from './document.ts';
import { age, type Moment, now } from './moment.ts';
import type { Settings } from './options.ts';
import type { Session } from './session.ts';
import { VerifyError } from './verify-error.ts';

interface LookUps {
  /** What the service says of this session; at most `lookUpSeconds` old. */
  find(token: string, session: Session): Promise<CurrentSession>;
  /** The same, when `refusal` has nothing against it. Nobody is refused by an answer that is older than a second. */
  require(
    token: string,
    session: Session,
    refusal: (current: CurrentSession) => VerifyError | undefined,
  ): Promise<CurrentSession>;
}

interface Question {
  readonly begun: Moment;
  /** Shared by all who ask while it is under way, and after that for as long as it is young enough. */
  readonly answer: Promise<CurrentSession>;
}

const TIMEOUT = 5_000;
const MAX_BYTES = 256 * 1024;
const MAX_KEPT = 10_000;
/** So that somebody who is refused over and over makes no flood of questions. */
const OLD_NO = 1_000;

export function createLookUps({ address, routePrefix, fetch, lookUpSeconds }: Settings): LookUps {
  const questions = createBoundedCache<Question>(MAX_KEPT);

  const ask = (token: string, session: Session): Question => {
    const question = { begun: now(), answer: fetchSession(token, session) };
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
      const answer = await boundedFetch({ url, fetch, headers, maxBytes: MAX_BYTES, timeout: TIMEOUT });
      if (answer.status === 401) throw new VerifyError('session_revoked', 'the service does not accept this session');
      return readCurrentSession(bodyOf(answer), session);
    } catch (cause) {
      if (cause instanceof VerifyError) throw cause;
      throw new VerifyError('service_unreachable', 'the service could not be asked about this session', { cause });
    }
  };

  /** One that is young enough. */
  const known = (token: string): Question | undefined => {
    const question = questions.get(token);
    return question && age(question.begun) < lookUpSeconds * 1000 ? question : undefined;
  };

  return {
    find: (token, session) => (known(token) ?? ask(token, session)).answer,
    async require(token, session, refusal) {
      const oldest = now().steady - OLD_NO;
      let question = known(token) ?? ask(token, session);
      let refused = refusal(await question.answer);
      if (refused && question.begun.steady < oldest) {
        const newest = questions.get(token);
        question = newest && newest.begun.steady >= oldest ? newest : ask(token, session);
        refused = refusal(await question.answer);
      }
      if (refused) throw refused;
      return question.answer;
    },
  };
}
