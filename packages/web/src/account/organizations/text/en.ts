export const text = {
  title: 'Organizations',
  lead: 'Where you belong. You work in one of them at a time.',
  list: 'Your organizations',
  panel: 'Memberships',
  filter: 'Filter by name',
  noMatch: 'No organization of yours has that in its name',
  noMatchHint: 'Try a shorter part of it.',
  count: (shown: number, all: number) => `${shown} of ${all}`,
  current: 'You are here',
  role: (role: string) => `Your role: ${role}`,
  since: 'joined',
  switch: 'Switch',
  switchLabel: (name: string) => `Switch to ${name}`,
  refused: 'This organization is suspended, or you are no member of it any more. Reload the page to see what is left.',
  leaveHint: 'To leave another one, switch to it first.',
};
export type Text = typeof text;
