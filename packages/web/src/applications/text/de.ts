import type { Text } from './en.ts';

export const text: Text = {
  scopes: {
    openid: 'Sie bei der Anmeldung wiedererkennen',
    profile: 'Ihren Namen, Ihr Profilbild und Ihre Sprache sehen',
    email: 'Ihre Mailadresse sehen',
    offline_access: 'Den Zugriff behalten, auch während Sie die Anwendung nicht benutzen, bis Sie ihn entfernen',
    organization: 'Die gewählte Organisation und Ihre Rollen darin sehen',
  },
  permission: (name) => `Ihre Berechtigung „${name}“ in der gewählten Organisation nutzen`,
};
