import type { Text } from './en.ts';

export const text: Text = {
  title: 'Organisationen',
  lead: 'Die Organisationen, zu denen Sie gehören. Sie arbeiten immer in einer davon.',
  list: 'Ihre Organisationen',
  panel: 'Mitgliedschaften',
  filter: 'Nach Namen filtern',
  noMatch: 'Keine passende Organisation',
  noMatchHint: 'Versuchen Sie es mit einem kürzeren Teil des Namens.',
  count: (shown, all) => `${shown} von ${all}`,
  current: 'Aktuell',
  role: (role) => `Ihre Rolle: ${role}`,
  since: 'beigetreten',
  switch: 'Wechseln',
  switchLabel: (name) => `Zu ${name} wechseln`,
  refused:
    'Diese Organisation ist gesperrt, oder Sie sind dort kein Mitglied mehr. Laden Sie die Seite neu, um Ihre Organisationen zu sehen.',
  leaveHint: 'Um eine andere Organisation zu verlassen, wechseln Sie erst dorthin.',
};
