import type { Text } from './en.ts';

export const text: Text = {
  permissions: {
    title: 'Berechtigungen',
    lead: 'Was Ihr Produkt seinen Benutzern erlaubt. Rollen enthalten diese Berechtigungen, und Zugriffstokens tragen sie.',
    empty: 'Noch keine Berechtigungen',
    emptyHint: 'Melden Sie eine an, etwa invoices.read, und nehmen Sie sie in eine Rolle auf.',
    create: 'Neue Berechtigung',
    createVerb: 'Berechtigung anlegen',
    name: 'Name',
    nameHint:
      'Kleingeschriebene Wörter mit Punkten dazwischen, etwa invoices.read. Er kann später nicht geändert werden.',
    nameWrong:
      'Verwenden Sie kleingeschriebene Wörter mit Punkten dazwischen, etwa invoices.read; höchstens 80 Zeichen.',
    reserved: 'Das erste Wort ist für diesen Dienst reserviert. Wählen Sie ein anderes.',
    exists: 'Diese Berechtigung gibt es schon.',
    full: 'Es gibt bereits 500 Berechtigungen.',
    description: 'Beschreibung',
    optional: 'freiwillig',
    created: 'Angelegt',
    edit: 'Bearbeiten',
    editTitle: (name) => `${name} bearbeiten`,
    saved: (name) => `${name} gespeichert`,
    limited: 'Zu viele Änderungen in kurzer Zeit.',
    remove: 'Löschen',
    removeTitle: (name) => `${name} löschen?`,
    removeQuestion: (name) =>
      `${name} wird aus allen Rollen und Anwendungen entfernt, in jeder Organisation. Benutzer verlieren sie innerhalb von Sekunden. Das kann nicht rückgängig gemacht werden.`,
    removed: (name) => `${name} gelöscht`,
  },
  roles: {
    title: 'Rollen',
    lead: 'Globale Rollen, die jede Organisation ihren Mitgliedern zuweisen kann.',
    empty: 'Noch keine globalen Rollen',
    emptyHint: 'Organisationen können auch eigene Rollen anlegen.',
  },
};
