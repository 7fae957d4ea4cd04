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
    ended:
      'Ihre Sitzung ist abgelaufen oder wurde beendet, zum Beispiel in einem anderen Tab oder auf einem anderen Gerät. Melden Sie sich an, um dort weiterzumachen, wo Sie waren.',
    forgot: 'Passwort vergessen?',
    or: 'oder',
    passkey: 'Mit Passkey anmelden',
    passkeyFailed:
      'Es wurde kein Passkey verwendet. Vielleicht haben Sie abgebrochen, oder dieses Gerät hat keinen für diese Seite. Versuchen Sie es noch einmal oder melden Sie sich anders an.',
    passkeyUnknown:
      'Dieser Passkey ist hier nicht registriert oder wurde entfernt. Nehmen Sie einen anderen oder melden Sie sich anders an.',
    emailCode: 'Code per E-Mail erhalten',
    ssoRequired: 'Ihre Organisation verlangt für diese Adresse Single Sign-on.',
    ssoOtherWayHint: 'Wenn Sie Inhaber sind und Single Sign-on nicht funktioniert, oder für eine andere Organisation:',
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
  thirdParty: {
    continueWith: (name) => `Weiter mit ${name}`,
  },
};
