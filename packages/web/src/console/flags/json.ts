interface JsonFault {
  readonly kind: 'syntax' | 'depth' | 'number' | 'character';
  /** Line and column start at 1, as in editors. */
  readonly line: number;
  readonly column: number;
}

class Stop extends Error {
  readonly kind: JsonFault['kind'];
  readonly at: number;

  constructor(kind: JsonFault['kind'], at: number) {
    super(kind);
    this.kind = kind;
    this.at = at;
  }
}

/** The valid part of a string's content. */
const INNER = /(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /true|false|null/y;
const SPACE = /[ \t\n\r]*/y;

/** Returns the first place that is not JSON or that the service would reject. `JSON.parse` may not report it. */
export function findFault(text: string, levels: number): JsonFault | undefined {
  let at = 0;
  const match = (pattern: RegExp): string => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0] ?? '';
    at += found.length;
    return found;
  };
  const expect = (sign: string): void => {
    if (text[at] !== sign) throw new Stop('syntax', at);
    at += 1;
  };
  const string = (isName = false): void => {
    const begin = at;
    expect('"');
    match(INNER);
    expect('"');
    const value = JSON.parse(text.slice(begin, at)) as string;
    const checked = isName ? value : value.replaceAll(/[\t\n\r]/g, '');
    if (!value.isWellFormed() || /\p{Cc}/u.test(checked)) throw new Stop('character', begin);
  };
  const number = (): boolean => {
    const begin = at;
    const written = match(NUMBER);
    if (written !== '' && !Number.isFinite(Number(written))) throw new Stop('number', begin);
    return written !== '';
  };
  const list = (end: string, level: number, item: () => void): void => {
    if (level > levels) throw new Stop('depth', at);
    at += 1;
    match(SPACE);
    if (text[at] !== end) {
      item();
      while (text[at] === ',') {
        at += 1;
        match(SPACE);
        item();
      }
    }
    expect(end);
  };
  const value = (level: number): void => {
    match(SPACE);
    if (text[at] === '{') {
      list('}', level, () => {
        string(true);
        match(SPACE);
        expect(':');
        value(level + 1);
      });
    } else if (text[at] === '[') list(']', level, () => value(level + 1));
    else if (text[at] === '"') string();
    else if (!number() && match(WORD) === '') throw new Stop('syntax', at);
    match(SPACE);
  };
  try {
    value(1);
    if (at < text.length) throw new Stop('syntax', at);
    return undefined;
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    const before = text.slice(0, error.at);
    const line = before.split('\n').length;
    return { kind: error.kind, line, column: error.at - before.lastIndexOf('\n') };
  }
}
