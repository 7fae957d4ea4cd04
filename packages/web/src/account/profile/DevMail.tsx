import { Anchor, Text } from '@mantine/core';
import { settings } from '../../ui/settings.ts';
import { useText } from './text.ts';

/** Where the mails went, while nobody has configured where they go. */
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
