import { type Answer, boundedFetch, type Request } from './bounded-fetch.ts';

interface Document {
  /** Fetches the document once and passes it to `take` if it has changed. Rejects if that cannot be determined. */
  update(): Promise<void>;
}

interface DocumentRequest extends Omit<Request, 'headers' | 'url'> {
  /** Called before each request. */
  readonly url: () => string;
  /** Throws for a response that must not be used, whether it has a body or is a 304. */
  readonly check?: (answer: Answer) => void;
}

/** A JSON document that is polled with `If-None-Match`. The tag is stored only after `take` has succeeded. */
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

/** Throws unless the response is 200 with a JSON body. */
export function bodyOf({ status, text }: Answer): unknown {
  if (status !== 200) throw new Error(`the service responded with status ${status}`);
  try {
    return JSON.parse(text);
  } catch {
    // The parser's message quotes the text, so it is not passed on.
    throw new Error('the response is not JSON');
  }
}

/** Returns an object as a record; an empty one for any other value. */
export const membersOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
