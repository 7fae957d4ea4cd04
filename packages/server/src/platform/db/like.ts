/** A pattern for `like` and `ilike` that finds this text anywhere. `%`, `_` and `\` stand for themselves. */
export const containing = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`;
