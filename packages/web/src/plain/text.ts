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
  request: {
    invalid: {
      title: 'This request is not valid',
      lead: 'The application that sent you here is not registered, or its link is wrong. Contact its operator.',
    },
    unavailable: {
      title: 'Something went wrong',
      lead: 'The request could not be processed. Wait a moment and try again.',
    },
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
  request: {
    invalid: {
      title: 'Diese Anfrage ist ungültig',
      lead: 'Die Anwendung, die Sie hierher geschickt hat, ist nicht registriert, oder ihr Link ist falsch. Wenden Sie sich an ihren Betreiber.',
    },
    unavailable: {
      title: 'Etwas ist schiefgegangen',
      lead: 'Die Anfrage konnte nicht bearbeitet werden. Warten Sie einen Moment und versuchen Sie es erneut.',
    },
  },
};

export const TEXT = { en, de } as const;
export type PlainLanguage = keyof typeof TEXT;
