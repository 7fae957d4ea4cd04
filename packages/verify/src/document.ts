import { type Answer, boundedFetch, type Request } from './bounded-fetch.ts';

interface Document {
  /** Asks once, and takes what is new. Rejects when it was not learned whether anything is. */
  update(): Promise<void>;
}

interface DocumentRequest extends Omit<Request, 'headers' | 'url'> {
  /** Called before each request. */
  readonly url: () => string;
  /** Throws for a response that must not be used, whether it has a body or is a 304. */
  readonly check?: (answer: Answer) => void;
}

/** A JSON document that is asked for again and again, by its tag. The tag is kept only for what `take` has taken. */
export function createDocument(
  { url, check = () => {}, ...request }: DocumentRequest,
  take: (body: unknown, answer: Answer) => void | Promise<void>,
): Document {
  let tag: string | undefined;
  return {
    async update() {
      const headers = tag === undefined ? undefined : { 'if-none-match': tag };
      const answer = await boundedFetch({ ...request, url: url(), headers: headers ?? {} });
      check(answer);
      if (answer.status === 304 && tag !== undefined) return;
      await take(bodyOf(answer), answer);
      tag = answer.etag;
    },
  };
}

/** Throws unless it is a good answer with JSON in it. */
export function bodyOf({ status, text }: Answer): unknown {
  if (status !== 200) throw new Error(`the service answered ${status}`);
  try {
    return JSON.parse(text);
  } catch {
    // The parser's own words quote the text.
    throw new Error('the answer is not JSON');
  }
}

/** The members of an object; none of anything else. */
export const membersOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
