interface Statement {
  /** The statement on one line, without comments. */
  readonly text: string;
  /** The statement in lower case, with string literals and bodies emptied: their content must not be parsed as SQL. */
  readonly bare: string;
}

const WORD = String.raw`[A-Za-z0-9_\u0080-\uffff][\w$\u0080-\uffff]*`;
const TOKEN = new RegExp(
  [
    String.raw`(?<comment>--[^\n]*|/\*)`,
    String.raw`(?<value>[eE]'(?:[^'\\]|\\[\s\S]|'')*'|'(?:[^']|'')*'|\$(?<tag>(?:[A-Za-z_]\w*)?)\$[\s\S]*?\$\k<tag>\$)`,
    `"(?<name>(?:[^"]|"")*)"`,
    `(?<open>['"])`,
    String.raw`(?<space>\s+)`,
    `(?<word>${WORD})`,
    String.raw`(?<other>[\s\S])`,
  ].join('|'),
  'gu',
);

/** Splits like PostgreSQL: a semicolon in quotes, in a body or in a comment does not end a statement. */
export function splitStatements(sql: string): Statement[] {
  const statements: Statement[] = [];
  let [text, bare] = ['', ''];
  const end = () => {
    if (bare.trim() !== '') statements.push({ text: text.trim(), bare: bare.trim() });
    [text, bare] = ['', ''];
  };
  const add = (shown: string, read = shown) => {
    text += shown;
    bare += read;
  };
  TOKEN.lastIndex = 0;
  for (let match = TOKEN.exec(sql); match; match = TOKEN.exec(sql)) {
    const { comment, value, name, open, space, word } = match.groups!;
    if (open !== undefined) throw new Error(`a quote is not closed: ${sql.slice(match.index, match.index + 40)}`);
    if (comment === '/*') TOKEN.lastIndex = endOfComment(sql, match.index);
    if (comment !== undefined || space !== undefined) {
      if (!text.endsWith(' ')) add(' ');
    } else if (match[0] === ';') end();
    else if (value !== undefined) add(value, "''");
    else if (name !== undefined) add(match[0], /^\w+$/.test(name) ? name : '_');
    else add(match[0], word?.toLowerCase());
  }
  end();
  return statements;
}

/** SQL block comments nest. */
function endOfComment(sql: string, start: number): number {
  const edge = /\/\*|\*\//g;
  edge.lastIndex = start;
  let depth = 0;
  for (let match = edge.exec(sql); match; match = edge.exec(sql)) {
    depth += match[0] === '/*' ? 1 : -1;
    if (depth === 0) return edge.lastIndex;
  }
  throw new Error('a comment is not closed');
}

const depthAfter = (depth: number, character: string): number =>
  '(['.includes(character) ? depth + 1 : ')]'.includes(character) ? depth - 1 : depth;

/** Splits at commas outside of brackets. */
export function splitList(bare: string): string[] {
  const parts = [''];
  let depth = 0;
  for (const character of bare) {
    depth = depthAfter(depth, character);
    if (character === ',' && depth === 0) parts.push('');
    else parts[parts.length - 1] += character;
  }
  return parts.map((part) => part.trim());
}

/** For a text that begins with a bracket: its content, and the text after it. */
export function openBrackets(bare: string): [inside: string, after: string] {
  let depth = 0;
  for (const [index, character] of [...bare].entries()) {
    depth = depthAfter(depth, character);
    if (depth === 0) return [bare.slice(1, index), bare.slice(index + 1)];
  }
  throw new Error(`a bracket is not closed: ${bare.slice(0, 40)}`);
}
