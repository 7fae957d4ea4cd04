/** Of what is sent as text and is JSON. */
export const JSON_TYPE = 'application/json; charset=utf-8';

const texts = new WeakMap<object, string>();

/** The JSON of what is made from a source, written out once for as long as that is the same object: what is asked for most is not worth writing each time. */
export function writtenOnce(source: object, document: () => object): string {
  let text = texts.get(source);
  if (text === undefined) {
    text = JSON.stringify(document());
    texts.set(source, text);
  }
  return text;
}
