import type { Text } from './en.ts';

export const text: Text = {
  title: 'Daten und Löschung',
  lead: 'Laden Sie Ihre Daten herunter, oder löschen Sie Ihr Konto.',
  export: {
    title: 'Ihre Daten',
    lead: 'Eine JSON-Datei mit Profil, Mitgliedschaften, Sitzungen, Anmeldearten, Einladungen und Aktivität. Sie enthält keine Passwörter oder Schlüssel.',
    download: 'Ihre Daten herunterladen',
    done: 'Die Datei wurde heruntergeladen.',
    tooMany: 'Sie haben Ihre Daten heute schon mehrmals heruntergeladen.',
  },
  delete: {
    title: 'Konto löschen',
    lead: 'Das kann nicht rückgängig gemacht werden.',
    signsOut: 'Sie werden überall abgemeldet und können sich nicht mehr anmelden.',
    endsAccess:
      'Sie verlieren den Zugang zu allen Ihren Organisationen. Organisationen ohne weiteres Mitglied werden gesperrt.',
    removes:
      'Name, Bild, Passwort, Passkeys und verknüpfte Konten werden entfernt. Das Audit-Protokoll behält, was Sie getan haben.',
    blockedTitle: (organization) => `Sie sind der letzte Inhaber von ${organization}`,
    blocked:
      'Ihr Konto kann nicht gelöscht werden, solange die Organisation andere Mitglieder hat. Machen Sie zuerst jemanden davon zum Inhaber, oder entfernen Sie sie.',
    toMembers: 'Mitglieder ansehen',
    alone: (organization) => `Sie sind das einzige Mitglied von ${organization}: Die Organisation wird gesperrt.`,
    elsewhere: (organization) =>
      `Sie sind Inhaber von ${organization}. Gibt es dort andere Mitglieder, aber keinen anderen Inhaber, wechseln Sie dorthin und machen Sie zuerst jemand anderen zum Inhaber.`,
    platformOwner:
      'Sie sind Plattform-Inhaber. Sind Sie der letzte, machen Sie zuerst in der Konsole jemand anderen zum Plattform-Inhaber.',
    open: 'Konto löschen …',
    ask: 'Ihr Konto löschen?',
    question: 'Ihr Konto und Ihr Zugang zu allen Organisationen werden endgültig entfernt.',
    typed: (email) => `Geben Sie zur Bestätigung ${email} ein`,
    password: 'Ihr Passwort',
    wrongPassword: 'Das Passwort ist falsch.',
    locked: 'Zu viele falsche Passwörter.',
    lastOwner:
      'Sie sind der letzte Inhaber einer Organisation mit anderen Mitgliedern. Machen Sie dort zuerst unter „Mitglieder“ jemand anderen zum Inhaber.',
    lastPlatformOwner:
      'Sie sind der letzte Plattform-Inhaber oder der letzte Inhaber einer Organisation mit anderen Mitgliedern. Geben Sie diese Rolle zuerst jemand anderem.',
    verb: 'Konto löschen',
  },
};
