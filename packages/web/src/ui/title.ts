import { useEffect } from 'react';
import { settings } from './settings.ts';

export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · ${settings.brand.name}`;
  }, [title]);
}
