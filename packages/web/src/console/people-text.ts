import { defineText } from '../ui/language.tsx';
import type { Text } from './people-text/en.ts';

/** Text for users without a platform role, and for the pages about organizations and users. */
export const useText = defineText<Text>({
  en: () => import('./people-text/en.ts'),
  de: () => import('./people-text/de.ts'),
});
