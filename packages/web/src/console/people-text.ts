import { defineText } from '../ui/language.tsx';
import type { Text } from './people-text/en.ts';

export const useText = defineText<Text>({
  en: () => import('./people-text/en.ts'),
  de: () => import('./people-text/de.ts'),
});
