import { Button, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { client } from '../../ui/client.ts';
import { Loading } from '../../ui/Loading.tsx';
import { useSession } from '../session.ts';
import { useText } from './text.ts';

/** Asks for a sign-in at the organization's provider, in another tab. A changed session id shows that it succeeded. */
export function BySso({ onDone }: { onDone: () => void }) {
  const t = useText();
  const { user } = useSession();
  const before = useRef(user.session_family_id);
  const [isOpened, setOpened] = useState(false);
  const { data } = useQuery({
    queryKey: ['sso-discovery', user.email],
    queryFn: () => client.signIn.discoverSso(user.email),
  });
  useEffect(() => {
    if (isOpened && user.session_family_id !== before.current) onDone();
  }, [isOpened, user.session_family_id, onDone]);
  if (!data) return <Loading />;
  if (!data.connection) return <Text size="sm">{t.noConnection}</Text>;
  const { name, start_url } = data.connection;
  const query = new URLSearchParams({ redirect_to: '/account', login_hint: user.email });
  return (
    <Stack>
      <Button component="a" href={`${start_url}?${query}`} target="_blank" onClick={() => setOpened(true)}>
        {t.withProvider(name)}
      </Button>
      <Text size="sm" role="status">
        {isOpened && t.comeBack}
      </Text>
    </Stack>
  );
}
