import { Anchor, Text } from '@mantine/core';
import { settings } from '../../ui/settings.ts';
import { useText } from './text.ts';

/** In development: links to the mails, which are stored in a folder instead of sent. */
export function DevMail() {
  const t = useText();
  if (!settings.development) return null;
  return (
    <Text size="sm">
      {t.devMail}{' '}
      <Anchor href="/dev/mail" inherit underline="always">
        {t.devMailLink}
      </Anchor>
    </Text>
  );
}
