import { defineText } from './language.tsx';
import type { Text } from './text/en.ts';

export const useWords = defineText<Text>({ en: () => import('./text/en.ts'), de: () => import('./text/de.ts') });
