import type { Text } from './en.ts';

export const text: Text = {
  signedInAs: (email) => `Sie sind als ${email} angemeldet.`,
  organization: (name) => `Organisation: ${name}`,
  consent: {
    title: (application) => `Darf ${application} Ihr Konto nutzen?`,
    lead: (application) => `Wenn Sie es erlauben, kann ${application}:`,
    list: 'Was die Anwendung kann',
    nothing: 'Sie anmelden, sonst nichts',
    later: 'Sie können diesen Zugriff jederzeit in Ihrem Konto unter „Anwendungen“ entfernen.',
    allow: 'Erlauben',
    deny: 'Nicht erlauben',
  },
  organizations: {
    title: 'Organisation wählen',
    lead: (application) => `${application} handelt für Sie in dieser Organisation.`,
    legend: 'Für welche Organisation?',
    deny: 'Abbrechen',
  },
  secondFactor: {
    lead: (application) => `${application} verlangt einen zweiten Schritt.`,
    enrolTitle: 'Bestätigung in zwei Schritten einschalten',
    enrol: (application) =>
      `${application} verlangt die Bestätigung in zwei Schritten, und Ihr Konto hat sie noch nicht. Schalten Sie sie in Ihrem Konto ein, kehren Sie dann zu dieser Seite zurück und fahren Sie fort.`,
    toSecurity: '„Anmeldung und Sicherheit“ in neuem Tab öffnen',
    notYet:
      'Ihr Konto hat noch keinen zweiten Schritt. Schalten Sie ihn im anderen Tab ein, und fahren Sie dann hier fort.',
    deny: 'Abbrechen',
  },
  ended: {
    title: 'Diese Anfrage gilt nicht mehr',
    lead: 'Sie ist abgelaufen, Sie haben sie bereits beantwortet, oder sie wurde in einem anderen Browser oder von einem anderen Benutzer begonnen. Kehren Sie zur Anwendung zurück und beginnen Sie neu.',
  },
  again: {
    title: 'Bitte melden Sie sich noch einmal an',
    lead: (application) => `${application} bittet Sie, sich noch einmal anzumelden.`,
  },
  fallbackName: 'Die Anwendung',
};
