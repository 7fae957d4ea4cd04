import { createContext, useContext, useEffect } from 'react';

/** The forms on the page with changes that are not saved. */
const changed = new Set<object>();

export const hasUnsaved = (): boolean => changed.size > 0;

/** Reports to the dialog around a form whether closing it would lose changes. */
export const DialogUnsavedContext = createContext<(isChanged: boolean) => void>(() => {});

/**
 * While `isChanged`, the user is asked before the form is lost: by leaving the page, reloading it, or closing the
 * dialog around it.
 */
export function useUnsaved(isChanged: boolean): void {
  const report = useContext(DialogUnsavedContext);
  useEffect(() => {
    if (!isChanged) return;
    const form = {};
    changed.add(form);
    report(true);
    return () => {
      changed.delete(form);
      report(false);
    };
  }, [isChanged, report]);
}
