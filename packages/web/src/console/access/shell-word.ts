/** Quotes text as one shell word. An email may contain characters that are special there: `$`, backticks, quotes. */
export const shellWord = (text: string): string =>
  /^[\w.+@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
