import { useEffect, useState } from 'react';
import { Button } from '../parts/Button.tsx';
import { useText } from '../text.ts';

/** The minimum time between two mails: a mail takes a moment, and a new code invalidates the previous one. */
const WAIT_MS = 30_000;

interface Props {
  readonly label: string;
  readonly sentAt: number;
  readonly busy: boolean;
  readonly onSend: () => void;
}

/** Requests another mail, after a countdown. The button stays focusable meanwhile. */
export function SendAgain({ label, sentAt, busy, onSend }: Props) {
  const t = useText();
  const seconds = useSecondsUntil(sentAt + WAIT_MS);
  const isEarly = seconds > 0;
  return (
    <Button
      variant="subtle"
      loading={busy}
      aria-disabled={isEarly || undefined}
      onClick={() => {
        if (!isEarly) onSend();
      }}
    >
      {isEarly ? t.sendIn(label, seconds) : label}
    </Button>
  );
}

function useSecondsUntil(time: number): number {
  const left = () => Math.max(0, Math.ceil((time - Date.now()) / 1000));
  const [seconds, setSeconds] = useState(left);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `left` depends on `time` only
  useEffect(() => {
    setSeconds(left());
    const timer = setInterval(() => setSeconds(left()), 1000);
    return () => clearInterval(timer);
  }, [time]);
  return seconds;
}
