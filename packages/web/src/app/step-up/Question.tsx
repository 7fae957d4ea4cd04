import type { StepUp } from '@gatehouse/client';
import { Button, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useIsSso } from '../session.ts';
import { BySso } from './BySso.tsx';
import { SecondFactor } from './SecondFactor.tsx';
import { SessionEnded } from './SessionEnded.tsx';
import { SignInAgain } from './SignInAgain.tsx';
import { useText } from './text.ts';

/** What the dialog asks for: a step-up, or a new session after the end of the old one. */
export type Needs = StepUp | 'session';

interface Props {
  readonly needs: Needs;
  readonly isRepeated: boolean;
  readonly onDone: () => void;
  readonly onLeave: () => void;
}

export function Question({ needs, isRepeated, onDone, onLeave }: Props) {
  const isSso = useIsSso();
  if (needs === 'session') return <SessionEnded onDone={onDone} />;
  if (needs === 'second_factor') return <SecondFactor onDone={onDone} />;
  if (isSso) return <SsoAgain onDone={onDone} />;
  if (needs === 'sign_in') return <SignInAgain isRepeated={isRepeated} onDone={onDone} />;
  return <Enroll onLeave={onLeave} />;
}

function SsoAgain({ onDone }: { onDone: () => void }) {
  const t = useText();
  return (
    <Stack>
      <Text size="sm">
        {t.signInAgain} {t.nothingLost}
      </Text>
      <BySso onDone={onDone} />
    </Stack>
  );
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
