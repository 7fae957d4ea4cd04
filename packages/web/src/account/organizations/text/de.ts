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
  leave: 'Verlassen',
  leaveLabel: (name) => `${name} verlassen`,
  leaveTitle: (name) => `${name} verlassen?`,
  leaveQuestion: (name) =>
    `Sie verlieren, was Sie in ${name} tun konnten, und nur eine Einladung bringt Sie zurück. Hier werden Sie abgemeldet.`,
  leaveOthers: 'Um in Ihren anderen Organisationen zu arbeiten, melden Sie sich danach neu an.',
  lastOwner: 'Sie sind der letzte Inhaber. Machen Sie erst jemand anderen unter „Mitglieder“ zum Inhaber.',
  lastPlatformOwner:
    'Sie sind der letzte Inhaber, oder ohne Sie darin hätte dieser Dienst keinen Inhaber mehr. Geben Sie diese Rolle erst jemand anderem.',
  leaveHint: 'Um eine andere zu verlassen, wechseln Sie erst dorthin.',
};
