import { useText } from './text.ts';

/** What users without permission see instead of the pages. */
export function useClosedText() {
  const t = useText();
  return { title: t.title, organization: t.notYours, platform: t.onlyAdmins };
}
