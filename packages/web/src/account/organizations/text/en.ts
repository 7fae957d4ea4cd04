export const text = {
  title: 'Organizations',
  lead: 'The organizations you belong to. You work in one of them at a time.',
  list: 'Your organizations',
  panel: 'Memberships',
  filter: 'Filter by name',
  noMatch: 'No matching organizations',
  noMatchHint: 'Try a shorter part of the name.',
  count: (shown: number, all: number) => `${shown} of ${all}`,
  current: 'Current',
  role: (role: string) => `Your role: ${role}`,
  since: 'joined',
  switch: 'Switch',
  switchLabel: (name: string) => `Switch to ${name}`,
  refused: 'This organization is suspended, or you’re no longer a member. Reload the page to see your organizations.',
  leaveHint: 'To leave another organization, switch to it first.',
};
export type Text = typeof text;
