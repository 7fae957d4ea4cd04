import { defineText } from '../ui/language.tsx';
import type { Text } from './more-text/en.ts';

/** Text that most sign-ins do not need. */
export const useMoreText = defineText<Text>(
  {
    en: () => import('./more-text/en.ts'),
    de: () => import('./more-text/de.ts'),
  },
  { onDemand: true },
);
