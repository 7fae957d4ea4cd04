export const text = {
  title: 'Profile',
  lead: 'What others see of you, and how we reach you.',
  unverified: {
    title: 'Your email address is not verified yet',
    text: (email: string) =>
      `Open the link in the mail that we sent to ${email}. Then we know that it is yours, and you can always get back into your account.`,
    again: 'Send the mail again',
    sent: (email: string) =>
      `A mail is on its way to ${email}. Only the newest one works. If none arrives, look into the spam folder.`,
  },
  picture: {
    title: 'Picture',
    lead: 'It stands beside your name. The middle of it is cut to a square.',
    choose: 'Choose a picture',
    another: 'Choose another picture',
    hint: (megabytes: number) => `PNG, JPEG, WebP or GIF, at most ${megabytes} MB.`,
    preview: 'This is how it will look.',
    use: 'Use this picture',
    saved: 'Your picture has been changed.',
    removed: 'Your picture has been removed.',
    remove: 'Remove',
    removeTitle: 'Remove your picture?',
    removeQuestion: 'The first letter of your name will stand in its place.',
    tooLarge: (megabytes: number) => `This file is too large. Choose one of at most ${megabytes} MB.`,
    wrongType: 'This is no picture that we can read. Choose a PNG, JPEG, WebP or GIF.',
    refused:
      'This picture cannot be used: it is damaged, has more than 50 megapixels or is of another kind than it says. Choose another one.',
    busy: 'Many pictures are being uploaded just now.',
  },
  name: {
    title: 'Name and language',
    name: 'Name',
    nameHint: 'Without one, others see your email address.',
    nameWrong: 'A name has at most 120 characters and stands on one line.',
    language: 'Language',
    languageHint: 'Of these pages, and of the mails we send you.',
    default: (language: string) => `Default (${language})`,
  },
  email: {
    title: 'Email',
    lead: 'You sign in with this address, and we write to it.',
    verified: 'Verified',
    unverified: 'Not verified',
    change: 'Change email',
    changeTitle: 'Change your email',
    explain:
      'We send a link to the new address. Your email changes when you open it; until then you sign in with the one you have.',
    newEmail: 'New email',
    password: 'Your password',
    submit: 'Send the link',
    same: 'This is the address you have already.',
    sentTitle: 'Open the link to finish',
    sent: (email: string) =>
      `If ${email} can be used, a mail with a link is on its way there. The link works for 24 hours. Until you open it, nothing changes. Your present address gets a note as well.`,
    wrongPassword: 'The password is not right.',
    locked: 'Too many wrong passwords in a row.',
  },
  devMail: 'In development no mail leaves this machine. Read it here:',
  devMailLink: 'Sent mails',
};
export type Text = typeof text;
