import { createContext, useContext, useEffect } from 'react';

const changed = new Set<object>();

export const hasUnsaved = (): boolean => changed.size > 0;

/** Lets the page be left without a question, because another user has signed in in this browser. */
export const discardUnsaved = (): void => changed.clear();

interface DialogControl {
  /** Closes the dialog without a question. */
  readonly close: () => void;
  /** Reports whether closing the dialog would lose changes. */
  readonly report: (isChanged: boolean) => void;
}

/** The `FormDialog` around a form. */
export const DialogContext = createContext<DialogControl>({ close: () => {}, report: () => {} });

export const useCloseDialog = (): (() => void) => useContext(DialogContext).close;

/** While `isChanged`, the user is asked before the form is left, reloaded or closed with its dialog. */
export function useUnsaved(isChanged: boolean): void {
  const { report } = useContext(DialogContext);
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
