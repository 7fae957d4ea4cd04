import { Button, CloseButton } from '@mantine/core';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { ErrorNote } from '../ui/ErrorNote.tsx';
import { Icon } from '../ui/Icon.tsx';
import { useAction } from '../ui/use-action.ts';
import { useWords } from '../ui/words.ts';
import classes from './Toasts.module.css';
import { useText } from './text.ts';
import { closeToast, listenToToasts, readToasts, showToast, type Toast } from './toast-store.ts';

const SHOWN_MS = 10_000;

/** Shows the toasts. The element exists while it is empty, so that screen readers announce what is added. */
export function Toasts() {
  const toasts = useSyncExternalStore(listenToToasts, readToasts);
  return (
    <div role="status" className={classes.toasts}>
      {toasts.map((toast) => (
        <Item key={toast.id} toast={toast} />
      ))}
    </div>
  );
}

/** A toast disappears after a while, but not while it has the pointer or the focus. */
function Item({ toast: { id, text, undo } }: { toast: Toast }) {
  const t = useText();
  const words = useWords();
  const [isHeld, setHeld] = useState(false);
  const reverse = useAction(async () => {
    await undo?.();
    closeToast(id);
    showToast(t.undone);
  });
  const stays = isHeld || reverse.busy || reverse.error !== undefined;
  useEffect(() => {
    if (stays) return;
    const timer = setTimeout(() => closeToast(id), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [id, stays]);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: only pauses the timer; the buttons do the work
    <div
      className={classes.toast}
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      <div className={classes.line}>
        <Icon name="check" />
        <span className={classes.text}>{text}</span>
        {undo && (
          <Button variant="default" size="compact-sm" loading={reverse.busy} onClick={() => void reverse.run()}>
            {t.undo}
          </Button>
        )}
        <CloseButton aria-label={words.close} size="sm" onClick={() => closeToast(id)} />
      </div>
      <ErrorNote error={reverse.error} />
    </div>
  );
}
