import { useEffect, useState } from 'react';
import { settings } from '../settings.ts';
import { estimate, type Score, type Warning } from './estimate.ts';
import classes from './StrengthMeter.module.css';
import { useText } from './text.ts';

/** Waits for a pause in typing: an estimate takes milliseconds, and screen readers read every change. */
const PAUSE_MS = 250;

interface Props {
  readonly password: string;
  readonly related: readonly string[];
}

/** A password that the service would reject is never shown as good. */
const levelOf = (score: Score, min: number) => (score < Math.max(min, 2) ? 'low' : score < 3 ? 'middle' : 'high');

/** Loaded on demand: see `PasswordStrength`. */
export function StrengthMeter({ password, related }: Props) {
  const t = useText();
  const min = settings.password_min_strength as Score;
  const [{ score, warning }, setEstimate] = useState(() => estimate(password, related));
  useEffect(() => {
    const timer = setTimeout(() => setEstimate(estimate(password, related)), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [password, related]);
  return (
    <div className={classes.meter} data-level={levelOf(score, min)}>
      <div className={classes.bars} aria-hidden="true">
        {([1, 2, 3, 4] as const).map((bar) => (
          <span key={bar} data-on={bar <= Math.max(score, 1) || undefined} />
        ))}
      </div>
      <div role="status">
        {[
          t.strength(t.levels[score]),
          score < min && t.tooWeak(t.levels[min]),
          score < Math.max(min, 3) && (t.warnings[warning as Warning] ?? t.advice),
        ]
          .filter(Boolean)
          .join(' ')}
      </div>
    </div>
  );
}
