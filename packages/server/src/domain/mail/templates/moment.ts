/** Formats a time in a language, in UTC: the time zone of the reader is not known. */
export const momentIn = (locale: string, milliseconds: number): string =>
  new Intl.DateTimeFormat(locale, {
    dateStyle: 'long',
    timeStyle: 'long',
    timeZone: 'UTC',
  }).format(milliseconds);
