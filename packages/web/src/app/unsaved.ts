import { createContext, useContext, useEffect } from 'react';

const changed = new Set<object>();

export const hasUnsaved = (): boolean => changed.size > 0;

/** Lets the page be left without a question, because another user has signed in in this browser. */
export const discardUnsaved = (): void => changed.clear();

/** Reports to the dialog around a form whether closing it would lose changes. */
export const DialogUnsavedContext = createContext<(isChanged: boolean) => void>(() => {});

/** While `isChanged`, the user is asked before the form is left, reloaded or closed with its dialog. */
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
