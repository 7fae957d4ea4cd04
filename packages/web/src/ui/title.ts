import { useEffect } from 'react';

/** The name of the page, in the tab and for screen readers that announce it. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Gatehouse`;
  }, [title]);
}
