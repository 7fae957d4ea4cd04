import { Anchor, Text } from '@mantine/core';
import { useText } from '../text.ts';
import classes from './NotMine.module.css';

/** The way back for the owner of the mailbox when someone else has registered it and turned on a second factor. */
export function NotMine() {
  const t = useText().mfa.notMine;
  return (
    <details className={classes.details}>
      <summary className={classes.summary}>{t.summary}</summary>
      <Text size="sm" mt="xs">
        {t.text} <Anchor href="/forgot-password">{t.link}</Anchor>
      </Text>
    </details>
  );
}
