import type { Text } from './en.ts';

export const text: Text = {
  strength: (level) => `Stärke: ${level}.`,
  levels: ['sehr schwach', 'schwach', 'mittel', 'gut', 'stark'],
  tooWeak: (least) => `Das Passwort muss mindestens „${least}“ sein.`,
  advice: 'Fügen Sie ein oder zwei Wörter hinzu, am besten seltene.',
  warnings: {
    straightRow: 'Tastenreihen sind leicht zu erraten.',
    keyPattern: 'Kurze Tastaturmuster sind leicht zu erraten.',
    simpleRepeat: 'Wiederholte Zeichen wie „aaa“ sind leicht zu erraten.',
    extendedRepeat: 'Wiederholte Muster wie „abcabc“ sind leicht zu erraten.',
    sequences: 'Folgen wie „abc“ sind leicht zu erraten.',
    recentYears: 'Jahreszahlen sind leicht zu erraten.',
    dates: 'Daten sind leicht zu erraten.',
    topTen: 'Das ist eines der meistbenutzten Passwörter.',
    topHundred: 'Das ist ein sehr häufiges Passwort.',
    common: 'Das ist ein häufiges Passwort.',
    similarToCommon: 'Das ähnelt einem häufigen Passwort.',
    wordByItself: 'Einzelne Wörter sind leicht zu erraten.',
    namesByThemselves: 'Namen sind leicht zu erraten.',
    commonNames: 'Häufige Namen sind leicht zu erraten.',
    userInputs: 'Verwenden Sie nicht Ihren Namen, Ihre Adresse oder Ihre Organisation.',
  },
};
