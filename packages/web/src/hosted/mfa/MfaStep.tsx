import type { SessionUser } from '@gatehouse/contract';
import { Anchor, Button, Checkbox } from '@mantine/core';
import { useState } from 'react';
import { Frame } from '../Frame.tsx';
import { useText } from '../text.ts';
import type { Half } from './half.ts';
import { MfaForm } from './MfaForm.tsx';
import { NotMine } from './NotMine.tsx';
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
