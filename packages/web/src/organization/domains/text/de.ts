import type { Text } from './en.ts';

export const text: Text = {
  title: 'Domains',
  lead: 'Weisen Sie nach, dass eine Domain Ihrer Organisation gehört. Mitglieder mit einer E-Mail-Adresse darin können dann Single Sign-on nutzen.',
  notYours: 'Nur Inhaber können Domains verwalten',
  empty: 'Noch keine Domains',
  emptyHint:
    'Fügen Sie die Domain Ihrer E-Mail-Adressen hinzu, etwa example.com, und weisen Sie dann mit einem DNS-Eintrag nach, dass sie Ihnen gehört.',
  add: {
    open: 'Domain hinzufügen',
    domain: 'Domain',
    hint: 'Der Teil Ihrer E-Mail-Adressen nach dem @, etwa example.com. Subdomains werden einzeln hinzugefügt.',
    wrong: 'Geben Sie eine Domain wie example.com ein.',
    verb: 'Domain hinzufügen',
    added: (domain) => `${domain} hinzugefügt`,
    refused:
      'Diese Domain kann nicht hinzugefügt werden. Geben Sie eine eigene Domain ein: Endungen wie co.uk und Domains von E-Mail-Diensten wie gmail.com werden nicht angenommen.',
    conflict: 'Ihre Organisation hat diese Domain bereits, oder sie hat bereits 20 Domains.',
  },
  states: { pending: 'Ausstehend', verified: 'Bestätigt', failing: 'Eintrag fehlt', lapsed: 'Erloschen' },
  hints: {
    pending:
      'Um diese Domain zu bestätigen, fügen Sie diesen Eintrag in den Einstellungen Ihres DNS-Anbieters hinzu, oft der Firma, bei der die Domain registriert ist. Wählen Sie danach „Jetzt prüfen“.',
    verified: 'Behalten Sie den DNS-Eintrag: Er wird täglich geprüft.',
    failing:
      'Bei der letzten Prüfung fehlte der DNS-Eintrag. Fügen Sie ihn wieder hinzu: Sieben Tage nach der ersten fehlgeschlagenen Prüfung gilt die Domain nicht mehr als bestätigt, und Single Sign-on funktioniert für ihre Adressen nicht mehr.',
    lapsed:
      'Der DNS-Eintrag fehlte sieben Tage lang, deshalb gilt die Domain nicht mehr als bestätigt. Fügen Sie den Eintrag wieder hinzu und wählen Sie dann „Jetzt prüfen“.',
  },
  record: 'DNS-Eintrag',
  type: 'Typ',
  name: 'Name',
  value: 'Wert',
  nameHint: (zone) => `Manche DNS-Anbieter hängen „.${zone}“ selbst an den Namen an. Lassen Sie diesen Teil dann weg.`,
  showRecord: 'DNS-Eintrag anzeigen',
  copy: (what) => `Kopieren: ${what}`,
  verifiedAt: 'Bestätigt',
  checkedAt: 'Zuletzt geprüft',
  verify: 'Jetzt prüfen',
  verifyLabel: (domain) => `Jetzt prüfen: ${domain}`,
  isVerified: (domain) => `${domain} ist bestätigt`,
  refusals: {
    missing:
      'Der DNS-Eintrag wurde nicht gefunden. Ein neuer Eintrag kann bis zu einer Stunde brauchen, bis er sichtbar ist. Vergleichen Sie Name und Wert mit denen oben, warten Sie etwas und versuchen Sie es erneut.',
    silent: 'Die DNS-Server dieser Domain haben nicht geantwortet. Versuchen Sie es später erneut.',
    taken:
      'Eine andere Organisation hat diese Domain bestätigt. Jene Organisation muss sie zuerst entfernen. Wenden Sie sich an den Support, wenn die Domain Ihnen gehört.',
  },
  tooOften: 'Zu viele Prüfungen in kurzer Zeit.',
  next: 'Weiter: Single Sign-on einrichten',
  remove: {
    verb: 'Entfernen',
    label: (domain) => `Entfernen: ${domain}`,
    title: (domain) => `${domain} entfernen?`,
    questions: {
      pending: 'Sie können sie wieder hinzufügen und erhalten dann einen neuen Eintrag.',
      verified:
        'Mitglieder mit einer Adresse in dieser Domain können Single Sign-on nicht mehr nutzen; wer sich so angemeldet hat, wird abgemeldet. Um die Domain wieder hinzuzufügen, brauchen Sie einen neuen Eintrag.',
    },
    conflict:
      'Dies ist die letzte Domain für Single Sign-on, das Ihre Anmelderegeln vorschreiben. Ändern Sie zuerst die Regeln, unter „Anmelderegeln“.',
    removed: (domain) => `${domain} entfernt`,
  },
};
