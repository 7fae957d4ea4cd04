import type { Text } from './en.ts';

const SECRET_WRONG = 'Ein Geheimnis hat mindestens 8 Zeichen und keine Leerzeichen. Kopieren Sie es noch einmal.';
const ID_WRONG = 'Eine Kennung hat höchstens 255 Zeichen und keine Leerzeichen.';

export const text: Text = {
  title: 'Anbieter',
  lead: 'Über welche Anbieter sich Benutzer anmelden können und wie E-Mails versandt werden.',
  all: 'Alle Anbieter',
  on: 'An',
  off: 'Aus',
  degraded: 'Gestört',
  byStored: 'Verwendet die hier gespeicherten Einstellungen.',
  byEnvironment: 'Verwendet die Einstellungen aus der Umgebung.',
  meanwhile: 'Bis das behoben ist, werden die Einstellungen aus der Umgebung verwendet.',
  notOffered: 'Bis das behoben ist, wird der Anbieter nicht angeboten.',
  switchedOff: 'Hier gespeichert, aber ausgeschaltet.',
  neverSet: 'Nicht eingerichtet.',
  mailElsewhere: 'Hier nicht eingerichtet. Mails gehen über SMTP_URL, wenn das gesetzt ist.',
  guides: {
    resend: {
      where:
        'Bei Resend: API Keys → Create API key. Die Domain, von der Sie senden, muss unter Domains bestätigt sein.',
      notes: [
        'Ohne dies werden E-Mails mit EMAIL_API_KEY und EMAIL_FROM oder mit SMTP_URL versandt, wenn sie in der Umgebung gesetzt sind.',
        'Die Prüfung fragt die Liste der Domains ab, die ein Schlüssel nur zum Senden nicht lesen darf. E-Mails werden trotzdem versandt.',
      ],
      fields: { from: 'Die Adresse, von der alle E-Mails kommen, ohne Namen: id@example.com' },
      secret: 'API-Schlüssel',
      secretHelp: 'Beginnt mit re_',
      secretWrong: 'Ein API-Schlüssel von Resend beginnt mit re_ und hat keine Leerzeichen.',
    },
    google: {
      where:
        'In der Google-Cloud-Konsole: APIs & Dienste → Anmeldedaten → Anmeldedaten erstellen → OAuth-Client-ID, Typ „Webanwendung“. Die Callback-URL gehört unter „Autorisierte Weiterleitungs-URIs“.',
      notes: [],
      fields: { client_id: 'Endet auf .apps.googleusercontent.com' },
      secret: 'Clientschlüssel',
      secretHelp: 'Wird einmal gezeigt, wenn der Client angelegt wird.',
      secretWrong: SECRET_WRONG,
    },
    github: {
      where:
        'Auf GitHub: Settings → Developer settings → OAuth Apps → New OAuth App. Die Callback-URL gehört in „Authorization callback URL“.',
      notes: ['Man braucht auf GitHub eine bestätigte Hauptadresse.'],
      fields: { client_id: 'Auf der Seite der OAuth-App' },
      secret: 'Client Secret',
      secretHelp: '„Generate a new client secret“ auf derselben Seite.',
      secretWrong: SECRET_WRONG,
    },
    microsoft: {
      where:
        'Im Entra Admin Center: App-Registrierungen → Neue Registrierung, Plattform „Web“. Die Callback-URL gehört in „Umleitungs-URI“.',
      notes: [
        'Fügen Sie unter Tokenkonfiguration den optionalen Anspruch xms_edov hinzu. Ohne ihn gelten Adressen als unbestätigt, und wer hier ein Konto hat, wird nicht an seiner Adresse erkannt.',
      ],
      fields: {
        client_id: '„Anwendungs-ID (Client)“ in der Übersicht der App',
        tenant:
          'Wer sich anmelden darf, wie es die unterstützten Kontotypen der App sagen: common, organizations, consumers oder die GUID eines Mandanten. Leer: common.',
      },
      secret: 'Geheimer Clientschlüssel',
      secretHelp: 'Zertifikate & Geheimnisse → Neuer geheimer Clientschlüssel: sein Wert, nicht seine ID.',
      secretWrong: SECRET_WRONG,
    },
    apple: {
      where:
        'Bei Apple Developer: Certificates, Identifiers & Profiles → eine Services ID mit „Sign in with Apple“ und ein Schlüssel dafür. Die Callback-URL gehört in „Return URLs“ der Services ID.',
      notes: ['Apple nimmt nur https-Adressen an.'],
      fields: {
        client_id: 'Die Kennung der Services ID, etwa com.example.id',
        team_id: 'Zehn Zeichen, dort oben rechts auf jeder Seite',
        key_id: 'Zehn Zeichen, auf der Seite des Schlüssels',
      },
      secret: 'Privater Schlüssel',
      secretHelp: 'Der ganze Text der .p8-Datei, mit erster und letzter Zeile.',
      secretWrong:
        'Das ist kein privater Schlüssel. Fügen Sie den ganzen Text der .p8-Datei ein, mit erster und letzter Zeile.',
    },
    facebook: {
      where:
        'Bei Meta for Developers: eine App mit Facebook Login. Die Callback-URL gehört in „Gültige OAuth Redirect URIs“.',
      notes: [
        'Die App braucht die Berechtigung „email“.',
        'Facebook sagt nicht, ob eine Adresse bestätigt ist. Wer hier ein Konto hat, verknüpft Facebook deshalb zuerst in seinem Konto.',
      ],
      fields: { client_id: '„App-ID“ unter App-Einstellungen → Allgemeines' },
      secret: 'App-Geheimcode',
      secretHelp: 'Auf derselben Seite.',
      secretWrong: SECRET_WRONG,
    },
  },
  anyGuide: (name) => ({
    where: `Registrieren Sie bei ${name} eine OAuth-Anwendung. Tragen Sie die Callback-URL bei deren Redirect-URIs ein.`,
    notes: [],
    fields: { client_id: `Steht bei ${name} in den Einstellungen der Anwendung.` },
    secret: 'Clientschlüssel',
    secretHelp: `Wird von ${name} angezeigt, wenn Sie die Anwendung anlegen.`,
    secretWrong: SECRET_WRONG,
  }),
  fields: {
    client_id: { label: 'Client-ID', wrong: ID_WRONG },
    from: {
      label: 'Absenderadresse',
      wrong: 'Geben Sie eine Adresse wie id@example.com ein, ohne Namen.',
    },
    key_id: { label: 'Schlüssel-ID', wrong: ID_WRONG },
    team_id: { label: 'Team-ID', wrong: ID_WRONG },
    tenant: {
      label: 'Mandant',
      wrong: 'Geben Sie common, organizations, consumers oder die GUID eines Mandanten ein.',
    },
  },
  status: 'Zustand',
  source: 'Aktive Einstellungen',
  sources: { stored: 'hier gespeichert', environment: 'aus der Umgebung' },
  nothing: 'keine',
  secretState: 'Geheimnis',
  secretSet: 'gespeichert und verschlüsselt',
  secretNotSet: 'keines gespeichert',
  keyId: 'Verschlüsselt mit Schlüssel',
  changed: 'Letzte Änderung',
  register: (name) => `Registrierung bei ${name}`,
  callback: 'Callback-URL',
  callbackHelp: 'Übernehmen Sie sie genau.',
  copyCallback: 'Callback-URL kopieren',
  none: 'nicht gesetzt',
  settings: 'Einstellungen',
  settingsLead: 'Änderungen gelten sofort, auf anderen Replikaten binnen Sekunden.',
  overEnvironment:
    'Dieser Anbieter ist zurzeit in der Umgebung eingerichtet. Was Sie hier speichern, ersetzt diese Einstellungen.',
  enabled: 'Eingeschaltet',
  enabledHelp: 'Er wird auf der Anmeldeseite angeboten.',
  enabledMailHelp: 'E-Mails werden über diesen Anbieter versandt.',
  secretKept: 'Ein Geheimnis ist gespeichert. Es wird nie wieder gezeigt.',
  replace: 'Ersetzen',
  keep: 'Gespeichertes Geheimnis behalten',
  clearSecret: 'Löschen',
  clearTitle: 'Geheimnis löschen?',
  clearQuestion: (name) =>
    `Das gespeicherte Geheimnis von ${name} wird gelöscht. Die hier gespeicherten Einstellungen sind erst wieder verwendbar, wenn Sie ein anderes speichern.`,
  showSecret: 'Geheimnis anzeigen',
  secretNeeded: 'Geben Sie das Geheimnis ein, oder lassen Sie den Anbieter ausgeschaltet.',
  secretTooLong: 'Ein Geheimnis hat höchstens 4.096 Bytes.',
  fieldNeeded: 'Füllen Sie dies aus, oder lassen Sie den Anbieter ausgeschaltet.',
  savedFine: 'Gespeichert und aktiv.',
  savedOff: 'Gespeichert. Der Anbieter ist ausgeschaltet.',
  savedDegraded: 'Gespeichert, aber noch nicht verwendbar.',
  tooOften: 'Zu viele Abfragen der Anbieter-Einstellungen von Ihrer IP-Adresse aus. Bitte warten Sie.',
  test: 'Prüfen',
  testTitle: 'Prüfung',
  testLead: 'Prüft die gespeicherten Einstellungen, auch wenn der Anbieter ausgeschaltet ist.',
  testGood: 'Keine Probleme gefunden',
  testBad: 'Die Prüfung ist fehlgeschlagen',
  noKeyTitle: 'Geheimnisse können noch nicht gespeichert werden',
  noKey:
    'Geheimnisse werden vor dem Speichern verschlüsselt, und dem Dienst fehlt der Schlüssel dafür. Erzeugen Sie einen, setzen Sie ihn als CONFIG_ENCRYPTION_KEY in der Umgebung oder in .env, bewahren Sie eine Kopie sicher auf und starten Sie den Dienst neu.',
  noKeyCommand: 'Einen Schlüssel erzeugen:',
  noKeyHere: 'Ein Geheimnis kann nicht gespeichert werden: CONFIG_ENCRYPTION_KEY ist nicht gesetzt.',
};
