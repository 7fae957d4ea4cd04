import type { SessionUser } from '@gatehouse/contract';
import { Anchor, Button, Checkbox, Text } from '@mantine/core';
import { useState } from 'react';
import { Frame } from '../Frame.tsx';
import { useText } from '../text.ts';
import type { Half } from './half.ts';
import { MfaForm } from './MfaForm.tsx';
import classes from './NotMine.module.css';
import { useChallenge } from './use-challenge.ts';

interface Props {
  readonly half: Half;
  /** Whether trust in this browser spares the next sign-in like this one the question. */
  readonly canTrust: boolean;
  readonly onSignedIn: (user: SessionUser) => Promise<void>;
  /** Back to the beginning, with what there is to say about it. */
  readonly onEnd: (note?: string) => void;
}

/** The second factor: a code of the app, or one of those kept for the day it is lost. */
export function MfaStep({ half, canTrust, onSignedIn, onEnd }: Props) {
  const t = useText().mfa;
  const [kind, setKind] = useState<'code' | 'recovery_code'>('code');
  const [isTrusted, setTrusted] = useState(false);
  const answer = useChallenge({ half, isTrusted, onSignedIn, onEnd });
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

/** The way back for the owner of the mailbox when someone else has registered it and turned on a second factor. */
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
