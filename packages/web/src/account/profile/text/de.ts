import type { Text } from './en.ts';

export const text: Text = {
  title: 'Profil',
  lead: 'Was andere von Ihnen sehen und wie wir Sie erreichen.',
  unverified: {
    title: 'Ihre E-Mail-Adresse ist noch nicht bestätigt',
    text: (email) =>
      `Öffnen Sie den Link in der Mail, die wir an ${email} gesendet haben. Dann wissen wir, dass es Ihre Adresse ist, und Sie kommen immer wieder in Ihr Konto.`,
    again: 'Mail noch einmal senden',
    sent: (email) =>
      `Eine Mail ist unterwegs an ${email}. Nur die neueste gilt. Wenn keine ankommt, sehen Sie im Spam-Ordner nach.`,
  },
  picture: {
    title: 'Bild',
    lead: 'Es steht neben Ihrem Namen. Die Mitte wird quadratisch ausgeschnitten.',
    choose: 'Bild auswählen',
    another: 'Anderes Bild auswählen',
    hint: (megabytes) => `PNG, JPEG, WebP oder GIF, höchstens ${megabytes} MB.`,
    preview: 'So wird es aussehen.',
    use: 'Dieses Bild verwenden',
    saved: 'Ihr Bild wurde geändert.',
    removed: 'Ihr Bild wurde entfernt.',
    remove: 'Entfernen',
    removeTitle: 'Bild entfernen?',
    removeQuestion: 'An seiner Stelle steht dann der erste Buchstabe Ihres Namens.',
    tooLarge: (megabytes) => `Diese Datei ist zu groß. Wählen Sie eine mit höchstens ${megabytes} MB.`,
    wrongType: 'Das ist kein Bild, das wir lesen können. Wählen Sie ein PNG, JPEG, WebP oder GIF.',
    refused:
      'Dieses Bild kann nicht verwendet werden: Es ist beschädigt, hat mehr als 50 Megapixel oder ein anderes Format als sein Dateityp. Wählen Sie ein anderes.',
    busy: 'Gerade werden viele Bilder hochgeladen.',
  },
  name: {
    title: 'Name und Sprache',
    name: 'Name',
    nameHint: 'Ohne Namen sehen andere Ihre E-Mail-Adresse.',
    nameWrong: 'Ein Name hat höchstens 120 Zeichen und steht auf einer Zeile.',
    language: 'Sprache',
    languageHint: 'Für diese Seiten und für die Mails, die wir Ihnen senden.',
    default: (language) => `Standard (${language})`,
  },
  email: {
    title: 'E-Mail',
    lead: 'Mit dieser Adresse melden Sie sich an, und an sie schreiben wir.',
    verified: 'Bestätigt',
    unverified: 'Nicht bestätigt',
    change: 'E-Mail ändern',
    changeTitle: 'E-Mail ändern',
    explain:
      'Wir senden einen Link an die neue Adresse. Ihre E-Mail ändert sich, wenn Sie ihn öffnen und bestätigen. Bis dahin melden Sie sich mit der bisherigen an.',
    newEmail: 'Neue E-Mail',
    password: 'Ihr Passwort',
    submit: 'Link senden',
    same: 'Das ist bereits Ihre Adresse.',
    sentTitle: 'Öffnen Sie den Link, um die Änderung abzuschließen',
    sent: (email) =>
      `Wenn ${email} verwendet werden kann, haben wir einen Link dorthin gesendet. Er gilt 24 Stunden. Bis Sie ihn öffnen und bestätigen, ändert sich nichts. Auch Ihre bisherige Adresse wird benachrichtigt.`,
    wrongPassword: 'Das Passwort stimmt nicht.',
    locked: 'Zu viele falsche Passwörter hintereinander.',
  },
  devMail: 'In der Entwicklung verlässt keine Mail diesen Rechner. Lesen Sie sie hier:',
  devMailLink: 'Gesendete Mails',
};
