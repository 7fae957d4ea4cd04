import type { SessionUser } from '@gatehouse/contract';
import { Anchor, Button, Checkbox, Text } from '@mantine/core';
import { useState } from 'react';
import { Frame } from '../Frame.tsx';
import { useText } from '../text.ts';
import { MfaForm } from './MfaForm.tsx';
import classes from './NotMine.module.css';
import type { PendingSignIn } from './pending-sign-in.ts';
import { useChallenge } from './use-challenge.ts';

interface Props {
  readonly pending: PendingSignIn;
  /** Whether a trusted browser skips the second factor of the next sign-in by this method. */
  readonly canTrust: boolean;
  readonly onSignedIn: (user: SessionUser) => Promise<void>;
  /** Restarts the sign-in, with a message. */
  readonly onEnd: (note?: string) => void;
}

/** The second factor: a code of the app, or a recovery code. */
export function MfaStep({ pending, canTrust, onSignedIn, onEnd }: Props) {
  const t = useText().mfa;
  const [kind, setKind] = useState<'code' | 'recovery_code'>('code');
  const [isTrusted, setTrusted] = useState(false);
  const answer = useChallenge({ pending, isTrusted, onSignedIn, onEnd });
  const other = kind === 'code' ? 'recovery_code' : 'code';
  return (
    <Frame
      title={t.title}
      lead={t.leads[kind]}
      below={
        <Anchor component="button" type="button" onClick={() => onEnd()}>
          {t.startAgain}
        </Anchor>
      }
    >
      <MfaForm key={kind} kind={kind} onAnswer={answer}>
        {canTrust && (
          <Checkbox
            label={t.trust}
            description={t.trustHint}
            checked={isTrusted}
            onChange={(event) => setTrusted(event.currentTarget.checked)}
          />
        )}
      </MfaForm>
      <Button variant="subtle" onClick={() => setKind(other)}>
        {t.use[other]}
      </Button>
      <NotMine />
    </Frame>
  );
}

/** For the owner of the mailbox if someone else has registered the account and turned on a second factor. */
function NotMine() {
  const t = useText().mfa.notMine;
  return (
    <details className={classes.details}>
      <summary className={classes.summary}>{t.summary}</summary>
      <Text size="sm" mt="xs">
        {t.text} <Anchor href="/forgot-password">{t.link}</Anchor>
      </Text>
    </details>
  );
}
