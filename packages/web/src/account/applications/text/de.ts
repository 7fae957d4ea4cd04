import type { Text } from './en.ts';

export const text: Text = {
  title: 'Anwendungen',
  lead: 'Andere Software, die Sie mit diesem Konto nutzen.',
  panel: 'Anwendungen mit Zugriff',
  list: 'Anwendungen mit Zugriff',
  empty: 'Noch keine Anwendungen',
  emptyHint: 'Wenn Sie sich mit diesem Konto bei anderer Software anmelden, erscheint sie hier.',
  granted: 'Zugriff seit',
  lastUsed: 'zuletzt benutzt',
  revoke: 'Zugriff entfernen',
  revokeLabel: (name) => `Zugriff entfernen: ${name}`,
  revokeTitle: (name) => `Zugriff von ${name} entfernen?`,
  revokeQuestion: (name) =>
    `${name} verliert sofort den Zugriff auf Ihr Konto und wird abgemeldet. Bei der nächsten Benutzung muss die Anwendung Sie erneut um Erlaubnis bitten. Daten, die sie bereits gespeichert hat, werden nicht gelöscht.`,
  revoked: (name) => `${name} hat keinen Zugriff mehr.`,
};
