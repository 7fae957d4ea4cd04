import type { Text } from './en.ts';

export const text: Text = {
  sentMails: 'Gesendete Mails (Entwicklung)',
  failedTitle: 'Diese Seite lässt sich gerade nicht anzeigen',
  cannotMail:
    'Gerade können keine Mails versendet werden. Versuchen Sie es später noch einmal oder wenden Sie sich an den Administrator dieses Dienstes.',
  toSignIn: 'Anmelden',
  backToSignIn: 'Zurück zur Anmeldung',
  toAccount: 'Zu Ihrem Konto',
  toHome: 'Zur Startseite',
  notNow: 'Jetzt nicht',
  sendIn: (label, seconds) => `${label} (in ${seconds} Sek.)`,
  deadLinkTitle: 'Dieser Link ist nicht mehr gültig',
  yourName: 'Ihr Name (freiwillig)',
  here: {
    title: 'Sie sind angemeldet',
    as: (email) => `Sie sind als ${email} angemeldet.`,
    somebodyElse: 'Mit einem anderen Konto anmelden',
  },
  signIn: {
    title: 'Anmelden',
    continueTo: (application) => `um mit ${application} fortzufahren`,
    submit: 'Anmelden',
    wrong: 'E-Mail oder Passwort stimmt nicht. Prüfen Sie beides und versuchen Sie es noch einmal.',
    newPassword: 'Neues Passwort wählen',
    notAMember:
      'Auf diese Weise können Sie sich bei keiner Organisation anmelden: Ihre Organisation ist gesperrt, Sie gehören ihr nicht mehr an, oder ihre Anmelderegeln erlauben diese Methode nicht. Versuchen Sie eine andere Methode oder wenden Sie sich an Ihren Administrator.',
    reloaded: 'Die Seite wurde während der Anmeldung neu geladen. Bitte melden Sie sich noch einmal an.',
    ended: 'Ihre Sitzung ist beendet. Melden Sie sich an, um dort weiterzumachen, wo Sie waren.',
    forgot: 'Passwort vergessen?',
    or: 'oder',
    passkey: 'Mit Passkey anmelden',
    passkeyFailed:
      'Es wurde kein Passkey verwendet. Vielleicht haben Sie abgebrochen, oder dieses Gerät hat keinen für diese Seite. Versuchen Sie es noch einmal oder melden Sie sich anders an.',
    passkeyUnknown:
      'Dieser Passkey ist hier nicht registriert oder wurde entfernt. Nehmen Sie einen anderen oder melden Sie sich anders an.',
    emailCode: 'Code per E-Mail erhalten',
    ssoRequired: 'Ihre Organisation verlangt für diese Adresse Single Sign-on.',
    ssoOtherWayHint: 'Für Inhaber im Notfall und für Ihre anderen Organisationen:',
    ssoOtherWay: 'Anders anmelden',
    noAccount: 'Noch kein Konto?',
    register: 'Organisation anlegen',
  },
  code: {
    title: 'Mit einem Code anmelden',
    lead: 'Wir senden sechs Ziffern an Ihre E-Mail-Adresse. Damit melden Sie sich ohne Passwort an.',
    send: 'Code senden',
    enterTitle: 'Code eingeben',
    sent: (email) =>
      `Wenn es ein Konto mit ${email} gibt, ist ein Code unterwegs. Er gilt zehn Minuten; sehen Sie auch im Spam-Ordner nach.`,
    label: 'Code aus der Mail',
    hint: 'Sechs Ziffern',
    wrong:
      'Dieser Code stimmt nicht, ist abgelaufen oder wurde zu oft versucht. Verwenden Sie den Code aus der neuesten Mail oder lassen Sie sich einen neuen senden.',
    again: 'Neuen Code senden',
    sentAgain: 'Ein neuer Code ist unterwegs. Der vorige funktioniert nicht mehr.',
    otherWay: 'Anders anmelden',
  },
  mfa: {
    title: 'Bestätigung in zwei Schritten',
    leads: {
      code: 'Öffnen Sie Ihre Authenticator-App und geben Sie den Code ein, den sie für dieses Konto zeigt.',
      recovery_code:
        'Geben Sie einen der Codes ein, die Sie beim Einschalten der Bestätigung in zwei Schritten aufbewahrt haben. Jeder gilt einmal.',
    },
    code: 'Code aus Ihrer Authenticator-App',
    codeHint: 'Sechs Ziffern; sie wechseln alle 30 Sekunden.',
    recoveryCode: 'Wiederherstellungscode',
    recoveryHint: 'Großschreibung und Bindestriche spielen keine Rolle.',
    use: { code: 'Authenticator-App verwenden', recovery_code: 'Wiederherstellungscode verwenden' },
    trust: 'Diesem Browser 30 Tage vertrauen',
    trustHint: 'Sie werden hier dann nicht nach einem Code gefragt. Tun Sie das nur auf einem eigenen Gerät.',
    wrong: {
      code: 'Dieser Code stimmt nicht oder wurde schon verwendet. Warten Sie auf den nächsten und versuchen Sie es noch einmal.',
      recovery_code:
        'Dieser Wiederherstellungscode stimmt nicht oder wurde schon verwendet. Versuchen Sie einen anderen.',
    },
    tooOften: {
      code: 'Für dieses Konto wurden zu viele falsche Codes eingegeben. Ein Wiederherstellungscode geht weiterhin.',
      recovery_code:
        'Für dieses Konto wurden zu viele falsche Wiederherstellungscodes eingegeben. Die Authenticator-App geht weiterhin.',
    },
    locked: 'Zu viele falsche Codes. Bitte beginnen Sie zu Ihrer Sicherheit noch einmal von vorn.',
    expired: 'Die Anmeldung hat länger als fünf Minuten gedauert. Bitte beginnen Sie noch einmal von vorn.',
    startAgain: 'Noch einmal beginnen',
    againTitle: 'Bitte melden Sie sich noch einmal an',
    account: 'Sie melden sich an als',
    usePasskey: 'Stattdessen einen Passkey verwenden',
    nothing: 'Auf dieser Seite ist keine Anmeldung im Gange. Vielleicht wurde sie neu geladen.',
    notMine: {
      summary: 'Sie haben das nicht eingeschaltet?',
      text: 'Vielleicht hat jemand anderes dieses Konto mit Ihrer E-Mail-Adresse angelegt und die Bestätigung in zwei Schritten eingeschaltet. Um das Konto zurückzubekommen, fordern Sie einen Link für ein neues Passwort an. Wählen Sie auf der Seite, die der Link öffnet, „Auch die Bestätigung in zwei Schritten entfernen, die ich nicht eingerichtet habe“.',
      link: 'Link anfordern',
    },
  },
  thirdParty: {
    continueWith: (name) => `Weiter mit ${name}`,
  },
};
