import { useLanguage } from '../../ui/language.tsx';
import classes from './Audit.module.css';

/** To the second, as a trail is read: the time, and below it the day. */
export function Stamp({ at }: { at: string }) {
  const { language } = useLanguage();
  const date = new Date(at);
  return (
    <time dateTime={at} className={classes.when}>
      {date.toLocaleTimeString(language)}{' '}
      <span className={classes.day}>{date.toLocaleDateString(language, { dateStyle: 'medium' })}</span>
    </time>
  );
}
