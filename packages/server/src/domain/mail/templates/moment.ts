/** A time in milliseconds in words of a language, in UTC: the reader's own zone is not known. */
export const momentIn = (locale: string, milliseconds: number): string =>
  new Intl.DateTimeFormat(locale, {
    dateStyle: 'long',
    timeStyle: 'long',
    timeZone: 'UTC',
  }).format(milliseconds);
