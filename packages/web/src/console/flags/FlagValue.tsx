import { Code } from '@mantine/core';
import { useLanguage } from '../../ui/language.tsx';
import classes from './FlagList.module.css';
import { useText } from './text.ts';
import { bytesOf, type Value, writeValue } from './value.ts';

/** What fits on a line or two is shown as it is. */
const SHORT = 80;

export function FlagValue({ value }: { value: Value }) {
  const t = useText();
  const { language } = useLanguage();
  if (value === null) return null;
  const line = JSON.stringify(value);
  if (line.length <= SHORT) return <Code className={classes.value}>{line}</Code>;
  const size = bytesOf(value).toLocaleString(language, { style: 'unit', unit: 'byte', unitDisplay: 'long' });
  return (
    <details>
      <summary className={classes.summary}>{t.value(size)}</summary>
      <Code block className={classes.value}>
        {writeValue(value)}
      </Code>
    </details>
  );
}
