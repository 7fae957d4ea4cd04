import { Button, Stack, Text } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { bindSession, goToSignIn, useSession } from '../session.ts';
import { discardUnsaved } from '../unsaved.ts';
import { useText } from './text.ts';

/**
 * Asks for a sign-in in another tab, because this page contains unsaved values. When the user comes back, the session
 * is read again (`refetchOnWindowFocus`) and switched to the organization of this page. For another user, the page is
 * loaded again (`StepUpProvider`).
 */
export function SessionEnded({ onDone }: { onDone: () => void }) {
  const t = useText();
  const { session_family_id, user_id, organization_id } = useSession().user;
  const before = useRef({ session_family_id, user_id, organization_id });
  const [hasOpenedTab, setOpenedTab] = useState(false);
  useEffect(() => bindSession(before.current), []);
  useEffect(() => {
    const was = before.current;
    const isHere = user_id === was.user_id && organization_id === was.organization_id;
    if (isHere && session_family_id !== was.session_family_id) onDone();
  }, [session_family_id, user_id, organization_id, onDone]);
  return (
    <Stack>
      <Text size="sm">{t.ended}</Text>
      <Button component="a" href="/sign-in" target="_blank" onClick={() => setOpenedTab(true)} data-autofocus>
        {t.signIn}
      </Button>
      <Button variant="default" onClick={discard}>
        {t.discard}
      </Button>
      <Text size="sm" role="status">
        {hasOpenedTab && t.comeBack}
      </Text>
    </Stack>
  );
}

function discard(): void {
  discardUnsaved();
  goToSignIn();
}
