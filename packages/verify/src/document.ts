import { type Answer, boundedFetch, type Request } from './bounded-fetch.ts';

interface Document {
  /** Asks once, and takes what is new. Rejects when it was not learned whether anything is. */
  update(): Promise<void>;
}

/** A JSON document that is asked for again and again, by its tag. The tag is kept only for what `take` has taken. */
export function createDocument(
  request: Omit<Request, 'headers'>,
  take: (body: unknown, answer: Answer) => void | Promise<void>,
): Document {
  let tag: string | undefined;
  return {
    async update() {
      const headers = tag === undefined ? undefined : { 'if-none-match': tag };
      const answer = await boundedFetch({ ...request, headers: headers ?? {} });
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
