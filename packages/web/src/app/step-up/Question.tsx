import type { StepUp } from '@gatehouse/client';
import { Button, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { SecondFactor } from './SecondFactor.tsx';
import { SignInAgain } from './SignInAgain.tsx';
import { useText } from './text.ts';

interface Props {
  readonly needs: StepUp;
  readonly isRepeated: boolean;
  readonly onDone: () => void;
  readonly onLeave: () => void;
}

export function Question({ needs, isRepeated, onDone, onLeave }: Props) {
  if (needs === 'second_factor') return <SecondFactor onDone={onDone} />;
  if (needs === 'sign_in') return <SignInAgain isRepeated={isRepeated} onDone={onDone} />;
  return <Enroll onLeave={onLeave} />;
}

/** The action needs a second factor, and the account has none: neither an authenticator app nor a passkey. */
function Enroll({ onLeave }: { onLeave: () => void }) {
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
