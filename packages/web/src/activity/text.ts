import { defineText } from '../ui/language.tsx';
import type { Text } from './text/en.ts';

export const useText = defineText<Text>({ en: () => import('./text/en.ts'), de: () => import('./text/de.ts') });
