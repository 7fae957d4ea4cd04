import { Button, Stack, Text } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { useSession } from '../session.ts';
import { useText } from './text.ts';

/**
 * Asks for a sign-in in another tab, because this page contains unsaved values. When the user comes back, the session
 * is read again (`refetchOnWindowFocus`); another user or organization reloads the page (`StepUpProvider`).
 */
export function SessionEnded({ onDone }: { onDone: () => void }) {
  const t = useText();
  const { session_family_id, user_id, organization_id } = useSession().user;
  const who = `${user_id} ${organization_id}`;
  const before = useRef({ session_family_id, who });
  const [hasOpenedTab, setOpenedTab] = useState(false);
  useEffect(() => {
    if (session_family_id !== before.current.session_family_id && who === before.current.who) onDone();
  }, [session_family_id, who, onDone]);
  return (
    <Stack>
      <Text size="sm">{t.ended}</Text>
      <Button component="a" href="/sign-in" target="_blank" onClick={() => setOpenedTab(true)} data-autofocus>
        {t.signIn}
      </Button>
      <Text size="sm" role="status">
        {hasOpenedTab && t.comeBack}
      </Text>
    </Stack>
  );
}
