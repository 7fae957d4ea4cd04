export const text = {
  strength: (level: string) => `Strength: ${level}.`,
  levels: ['very weak', 'weak', 'fair', 'good', 'strong'] as [string, string, string, string, string],
  tooWeak: (least: string) => `The password must be at least “${least}”.`,
  advice: 'Add another word or two. Uncommon words are better.',
  /** By the warning keys of the library zxcvbn. */
  warnings: {
    straightRow: 'Rows of keys are easy to guess.',
    keyPattern: 'Short keyboard patterns are easy to guess.',
    simpleRepeat: 'Repeated characters like “aaa” are easy to guess.',
    extendedRepeat: 'Repeated patterns like “abcabc” are easy to guess.',
    sequences: 'Sequences like “abc” are easy to guess.',
    recentYears: 'Years are easy to guess.',
    dates: 'Dates are easy to guess.',
    topTen: 'This is one of the most used passwords.',
    topHundred: 'This is a frequently used password.',
    common: 'This is a commonly used password.',
    similarToCommon: 'This is similar to a commonly used password.',
    wordByItself: 'Single words are easy to guess.',
    namesByThemselves: 'Names are easy to guess.',
    commonNames: 'Common names are easy to guess.',
    userInputs: 'Don’t use your name, address or organization.',
  },
};
export type Text = typeof text;
