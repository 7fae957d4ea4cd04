import { defineText } from '../../ui/language.tsx';
import type { Text } from './text/en.ts';

/** Text of the pages about permissions and about global roles. */
export const useText = defineText<Text>({ en: () => import('./text/en.ts'), de: () => import('./text/de.ts') });
