export const text = {
  title: 'Profile',
  lead: 'What others see about you, and how we contact you.',
  unverified: {
    title: 'Your email address is not verified yet',
    text: (email: string) =>
      `Open the link in the email that we sent to ${email}. It confirms that the address is yours, so that you can always recover your account.`,
    again: 'Resend email',
    sent: (email: string) =>
      `We’ve sent an email to ${email}. Only the latest one works. If it doesn’t arrive, check your spam folder.`,
  },
  picture: {
    title: 'Picture',
    lead: 'Shown next to your name. The center is cropped to a square.',
    choose: 'Choose a picture',
    another: 'Choose another picture',
    hint: (megabytes: number) => `PNG, JPEG, WebP or GIF, at most ${megabytes} MB.`,
    preview: 'This is how it will look.',
    use: 'Use this picture',
    saved: 'Your picture has been changed.',
    removed: 'Your picture has been removed.',
    remove: 'Remove',
    removeTitle: 'Remove your picture?',
    removeQuestion: 'The first letter of your name is shown instead.',
    tooLarge: (megabytes: number) => `This file is too large. Choose one of at most ${megabytes} MB.`,
    wrongType: 'We can’t read this file as a picture. Choose a PNG, JPEG, WebP or GIF.',
    refused:
      'This picture cannot be used: it is damaged, has more than 50 megapixels, or its format differs from its file type. Choose another one.',
    busy: 'Many pictures are being uploaded right now.',
  },
  name: {
    title: 'Name and language',
    name: 'Name',
    nameHint: 'If you leave this empty, others see your email address.',
    nameWrong: 'Use at most 120 characters on one line.',
    language: 'Language',
    languageHint: 'Used for these pages and for the emails we send you.',
    default: (language: string) => `Default (${language})`,
  },
  email: {
    title: 'Email',
    lead: 'You sign in with this address, and we send emails to it.',
    verified: 'Verified',
    unverified: 'Not verified',
    change: 'Change email',
    changeTitle: 'Change your email',
    explain:
      'We’ll send a link to the new address. Your email changes when you open the link and confirm. Until then, you sign in with the current one.',
    newEmail: 'New email',
    password: 'Your password',
    submit: 'Send link',
    same: 'This is already your address.',
    sentTitle: 'Open the link to finish',
    sent: (email: string) =>
      `If ${email} can be used, we’ve sent a link to it. The link is valid for 24 hours. Nothing changes until you open it and confirm. We also notify your current address.`,
    wrongPassword: 'The password is incorrect.',
    locked: 'Too many incorrect passwords in a row.',
  },
  devMail: 'In development, no email leaves this machine. Read it here:',
  devMailLink: 'Sent emails',
};
export type Text = typeof text;
