import type { SignInOptions } from '@gatehouse/contract';
import { Button, Stack, Text } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { client } from '../../ui/client.ts';
import { useSession } from '../session.ts';
import { useText } from './text.ts';

interface Props {
  readonly providers: SignInOptions['oauth'];
  readonly onDone: () => void;
}

/**
 * A provider's page cannot be shown in a dialog, so it opens in another tab and this page keeps what was typed. When
 * the user comes back, the session is read again (`refetchOnWindowFocus`); a session other than the one before is the
 * new sign-in.
 */
export function ByThirdParty({ providers, onDone }: Props) {
  const t = useText();
  const { user } = useSession();
  const before = useRef(user.session_family_id);
  const [isOpened, setOpened] = useState(false);
  useEffect(() => {
    if (!isOpened || user.session_family_id === before.current) return;
    // The new session replaces the old one. If the old session cannot be ended, the new sign-in still counts.
    void client.session.end(before.current).catch(() => undefined);
    onDone();
  }, [isOpened, user.session_family_id, onDone]);
  const query = new URLSearchParams({ redirect_to: '/account', organization_id: user.organization_id });
  return (
    <Stack>
      {providers.map(({ provider, name, start_url }) => (
        <Button
          key={provider}
          variant="default"
          component="a"
          href={`${start_url}?${query}`}
          target="_blank"
          onClick={() => setOpened(true)}
        >
          {t.withProvider(name)}
        </Button>
      ))}
      <Text size="sm" role="status">
        {isOpened && t.comeBack}
      </Text>
    </Stack>
  );
}
