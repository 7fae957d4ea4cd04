export interface Toast {
  readonly id: number;
  readonly text: string;
  readonly undo?: () => Promise<unknown>;
}

const MAX_SHOWN = 3;

let toasts: readonly Toast[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

function show(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

/** Shows a message about a completed action. Pass `undo` only for actions that can be reversed exactly. */
export function showToast(text: string, undo?: Toast['undo']): void {
  lastId += 1;
  show([...toasts, { id: lastId, text, ...(undo && { undo }) }].slice(-MAX_SHOWN));
}

export const closeToast = (id: number): void => show(toasts.filter((toast) => toast.id !== id));

export const readToasts = (): readonly Toast[] => toasts;

export function listenToToasts(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
