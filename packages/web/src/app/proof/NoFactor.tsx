import { Button, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { ByPasskey } from './ByPasskey.tsx';
import { useText } from './text.ts';
import { useHasPasskey } from './ways-in.ts';

interface Props {
  readonly onDone: () => void;
  readonly onLeave: () => void;
}

/** Where only a second factor will do, and there is none to ask for. A passkey is one. */
export function NoFactor({ onDone, onLeave }: Props) {
  const t = useText();
  const hasPasskey = useHasPasskey();
  return (
    <Stack>
      <Text>{hasPasskey ? t.passkeyIsOne : t.noFactor}</Text>
      {hasPasskey ? (
        <ByPasskey onDone={onDone} />
      ) : (
        <Button component={Link} to="/account/security" onClick={onLeave} data-autofocus>
          {t.turnOn}
        </Button>
      )}
    </Stack>
  );
}
