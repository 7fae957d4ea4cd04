export const JSON_TYPE = 'application/json; charset=utf-8';

const texts = new WeakMap<object, string>();

/** Returns the JSON of a document built from `source`, cached per `source`. For frequently requested documents. */
export function writtenOnce(source: object, document: () => object): string {
  let text = texts.get(source);
  if (text === undefined) {
    text = JSON.stringify(document());
    texts.set(source, text);
  }
  return text;
}
