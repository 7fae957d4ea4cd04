import { defineText } from '../ui/language.tsx';
import type { Text } from './text/en.ts';

export const useScopeText = defineText<Text>(
  { en: () => import('./text/en.ts'), de: () => import('./text/de.ts') },
  { onDemand: true },
);
