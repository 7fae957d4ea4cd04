import { useLanguage } from './language.tsx';
import { useWords } from './words.ts';

const STEPS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
];
/** Beyond this, a date says more than a number of days. */
const RECENT = 7 * 86_400;

function since(seconds: number, language: string, justNow: string): string | undefined {
  const size = Math.abs(seconds);
  if (size > RECENT) return undefined;
  const step = STEPS.find(([, length]) => size >= length);
  if (!step) return justNow;
  return new Intl.RelativeTimeFormat(language, { numeric: 'auto' }).format(Math.round(seconds / step[1]), step[0]);
}

/** A moment as people say it, and exactly when the pointer rests on it. */
export function Moment({ at }: { at: string | null }) {
  const { language } = useLanguage();
  const t = useWords();
  if (at === null) return <>{t.never}</>;
  const date = new Date(at);
  const exact = date.toLocaleString(language, { dateStyle: 'medium', timeStyle: 'short' });
  return (
    <time dateTime={at} title={exact}>
      {since((date.getTime() - Date.now()) / 1000, language, t.justNow) ?? exact}
    </time>
  );
}
