import type { Text } from './en.ts';

export const text: Text = {
  title: 'Organisationen',
  lead: 'Wozu Sie gehören. Sie arbeiten immer in einer davon.',
  list: 'Ihre Organisationen',
  panel: 'Mitgliedschaften',
  filter: 'Nach Namen filtern',
  noMatch: 'Keine Ihrer Organisationen hat das im Namen',
  noMatchHint: 'Versuchen Sie es mit einem kürzeren Teil.',
  count: (shown, all) => `${shown} von ${all}`,
  current: 'Hier sind Sie',
  role: (role) => `Ihre Rolle: ${role}`,
  since: 'beigetreten',
  switch: 'Wechseln',
  switchLabel: (name) => `Zu ${name} wechseln`,
  refused:
    'Diese Organisation ist gesperrt, oder Sie sind dort kein Mitglied mehr. Laden Sie die Seite neu, um zu sehen, was geblieben ist.',
  leaveHint: 'Um eine andere zu verlassen, wechseln Sie erst dorthin.',
};
