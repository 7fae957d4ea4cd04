import { Button, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useText } from './text.ts';

/** The action needs a second factor, and the account has none: neither an authenticator app nor a passkey. */
export function Enroll({ onLeave }: { onLeave: () => void }) {
  const t = useText();
  return (
    <Stack>
      <Text>{t.enroll}</Text>
      <Button component={Link} to="/account/security" onClick={onLeave} data-autofocus>
        {t.setUp}
      </Button>
    </Stack>
  );
}
