import { defineText } from '../../ui/language.tsx';
import type { Text } from './text/en.ts';

/** Text that most sign-ins do not need. */
export const useResultText = defineText<Text>(
  {
    en: () => import('./text/en.ts'),
    de: () => import('./text/de.ts'),
  },
  { onDemand: true },
);
