import { useText } from './text.ts';

export function useClosedText() {
  const t = useText();
  return { title: t.title, organization: t.notYours, platform: t.onlyAdmins };
}
