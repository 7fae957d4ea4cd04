/** The text of pages that the service renders. */
const en = {
  support: 'Help',
  privacy: 'Privacy policy',
  terms: 'Terms of service',
  needsScript: (name: string) => `${name} needs JavaScript. Please enable it and reload the page.`,
  notFound: {
    title: 'Page not found',
    lead: 'There is no page at this address. It may have been moved, or the link may be incomplete.',
    signIn: 'Sign in',
    home: 'Go to home page',
  },
};

const de: typeof en = {
  support: 'Hilfe',
  privacy: 'Datenschutz',
  terms: 'Nutzungsbedingungen',
  needsScript: (name) => `${name} braucht JavaScript. Bitte schalten Sie es ein und laden Sie die Seite neu.`,
  notFound: {
    title: 'Seite nicht gefunden',
    lead: 'Unter dieser Adresse gibt es keine Seite. Sie wurde vielleicht verschoben, oder der Link ist unvollständig.',
    signIn: 'Anmelden',
    home: 'Zur Startseite',
  },
};

export const TEXT = { en, de } as const;
export type PlainLanguage = keyof typeof TEXT;
