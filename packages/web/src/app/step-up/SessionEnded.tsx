import { Button, Stack, Text } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { client } from '../../ui/client.ts';
import { goToSignIn, reloadSession, useSession } from '../session.ts';
import { discardUnsaved } from '../unsaved.ts';
import { useText } from './text.ts';

/**
 * Asks for a sign-in in another tab, because this page contains unsaved values. When the user comes back, the session
 * is read again (`refetchOnWindowFocus`). Another user reloads the page (`StepUpProvider`); a session in another
 * organization is switched to the one of this page.
 */
export function SessionEnded({ onDone }: { onDone: () => void }) {
  const t = useText();
  const { session_family_id, user_id, organization_id } = useSession().user;
  const before = useRef({ session_family_id, user_id, organization_id });
  const [hasOpenedTab, setOpenedTab] = useState(false);
  useEffect(() => {
    const was = before.current;
    if (session_family_id === was.session_family_id || user_id !== was.user_id) return;
    if (organization_id === was.organization_id) onDone();
    else client.session.switchOrganization(was.organization_id).then(reloadSession, reload);
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

/** The user is no longer a member of the organization of this page. */
function reload(): void {
  discardUnsaved();
  location.reload();
}
