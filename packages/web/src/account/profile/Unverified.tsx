import { Button, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useMe } from '../../app/session.ts';
import { client } from '../../ui/client.ts';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { useAction } from '../../ui/use-action.ts';
import { Done } from '../Done.tsx';
import { Hint } from '../Hint.tsx';
import { DevMail } from './DevMail.tsx';
import { useText } from './text.ts';

export function Unverified() {
  const t = useText();
  const { email } = useMe();
  const [sentTo, setSentTo] = useState<string>();
  const send = useAction(async () => {
    setSentTo(undefined);
    await client.account.sendVerification();
    setSentTo(email);
  });
  return (
    <Hint urgent icon="mail" title={t.unverified.title}>
      <Stack gap="sm" align="flex-start">
        <Text size="sm">{t.unverified.text(email)}</Text>
        <ErrorNote error={send.error} />
        <Done>{sentTo && t.unverified.sent(sentTo)}</Done>
        <Button variant="default" size="xs" loading={send.busy} onClick={() => void send.run()}>
          {t.unverified.again}
        </Button>
        <DevMail />
      </Stack>
    </Hint>
  );
}
