import { useLanguage } from './language.tsx';
import { useWords } from './words.ts';

const STEPS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
];
/** Older moments are shown as a date. */
const RECENT_SECONDS = 7 * 86_400;

function since(seconds: number, language: string, justNow: string): string | undefined {
  const size = Math.abs(seconds);
  if (size > RECENT_SECONDS) return undefined;
  const step = STEPS.find(([, length]) => size >= length);
  if (!step) return justNow;
  return new Intl.RelativeTimeFormat(language, { numeric: 'auto' }).format(Math.round(seconds / step[1]), step[0]);
}

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
