import type { Text } from './en.ts';

export const text: Text = {
  title: 'Bestätigen Sie, dass Sie es sind',
  nothingLost: 'Danach geht es weiter; Ihre Eingaben bleiben erhalten.',
  or: 'oder',
  code: 'Code aus Ihrer Authenticator-App',
  codeHint: 'Sechs Ziffern, die sich alle 30 Sekunden ändern.',
  recoveryCode: 'Wiederherstellungscode',
  recoveryHint: 'Einer von denen, die Sie beim Einschalten aufbewahrt haben. Jeder gilt einmal.',
  useRecovery: 'Wiederherstellungscode verwenden',
  useApp: 'Authenticator-App verwenden',
  wrongCode: 'Dieser Code stimmt nicht oder wurde schon benutzt. Warten Sie auf den nächsten.',
  wrongRecoveryCode: 'Dieser Wiederherstellungscode stimmt nicht oder wurde schon benutzt.',
  codesLocked: 'Zu viele falsche Codes hintereinander.',
  signInAgain: 'Bitte melden Sie sich erneut an.',
  wrongPassword: 'Das Passwort stimmt nicht.',
  withPasskey: 'Passkey verwenden',
  passkeyFailed: 'Der Passkey konnte nicht benutzt werden. Versuchen Sie es noch einmal oder auf anderem Weg.',
  sendCode: 'Code per Mail senden',
  emailCode: 'Code aus der Mail',
  codeSent: (email) => `Wir haben einen Code an ${email} gesendet.`,
  sendAgain: 'Neuen Code senden',
  wrongEmailCode: 'Dieser Code stimmt nicht oder ist abgelaufen. Nach fünf falschen fordern Sie bitte einen neuen an.',
  leave: 'Abmelden und neu anmelden',
  withProvider: (name) => `Mit ${name} anmelden`,
  noConnection:
    'Single Sign-on ist für Ihre Adresse nicht mehr verfügbar. Wenden Sie sich an einen Inhaber Ihrer Organisation.',
  comeBack: 'Melden Sie sich in dem neuen Tab an und kommen Sie dann hierher zurück.',
  endedTitle: 'Ihre Sitzung ist beendet',
  ended:
    'Ihre Sitzung ist abgelaufen oder wurde beendet, zum Beispiel in einem anderen Tab oder auf einem anderen Gerät. Melden Sie sich erneut an. Ihre Eingaben auf dieser Seite bleiben erhalten.',
  signIn: 'Anmelden',
  passkeyNeeded: 'Dafür ist ein zweiter Faktor nötig. Verwenden Sie Ihren Passkey: Er zählt als einer.',
  enrollTitle: 'Dafür ist die Bestätigung in zwei Schritten nötig',
  enroll:
    'Für diese Aktion ist ein zweiter Faktor nötig, und Ihr Konto hat noch keinen. Schalten Sie die Bestätigung in zwei Schritten in den Sicherheitseinstellungen Ihres Kontos ein und kommen Sie dann zurück.',
  setUp: 'Bestätigung in zwei Schritten einrichten',
};
