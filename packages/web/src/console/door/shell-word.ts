/** As a shell takes it for one word. An email may have characters in it that mean something there: `$`, backticks, quotes. */
export const shellWord = (text: string): string =>
  /^[\w.+@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
