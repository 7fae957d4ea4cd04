import type { Text } from './en.ts';

export const text: Text = {
  title: 'Ihr Konto',
  lead: (organization) => `Sie sind mit Single Sign-on bei ${organization} angemeldet.`,
  about: 'Konto',
  name: 'Name',
  email: 'E-Mail',
  organization: 'Organisation',
  role: 'Rolle',
  limits: 'Was diese Sitzung kann',
  limitsLead: (organization) =>
    `Diese Sitzung gehört zu ${organization}. Sie können deren Seiten benutzen, aber weder Ihr Konto ändern noch Ihre anderen Organisationen öffnen.`,
  other:
    'Melden Sie sich dazu ab und auf andere Weise wieder an, etwa mit Passwort, Passkey oder einem Code per E-Mail.',
  signOut: 'Abmelden und anders anmelden',
  toOrganization: (organization) => `${organization} öffnen`,
};
