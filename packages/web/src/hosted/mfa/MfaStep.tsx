import type { LoginResponse, SessionUser } from '@gatehouse/contract';
import { useState } from 'react';
import { Icon } from '../../ui/Icon.tsx';
import { Frame } from '../Frame.tsx';
import { Button } from '../parts/Button.tsx';
import { Checkbox } from '../parts/Checkbox.tsx';
import { Stack } from '../parts/Stack.tsx';
import { useResultText } from '../results/text.ts';
import { PasskeyNote } from '../sign-in/PasskeyNote.tsx';
import { usePasskey } from '../sign-in/use-passkey.ts';
import { MfaForm } from './MfaForm.tsx';
import classes from './MfaStep.module.css';
import type { PendingSignIn } from './pending-sign-in.ts';
import { useChallenge } from './use-challenge.ts';

interface Props {
  readonly pending: PendingSignIn;
  /** Unknown after a third-party sign-in. */
  readonly email?: string;
  /** Whether a trusted browser skips the second factor of the next sign-in by this method. */
  readonly canTrust: boolean;
  readonly hasPasskeys: boolean;
  /** Called after a sign-in with a passkey instead. */
  readonly onAnswer: (answer: LoginResponse) => Promise<void>;
  readonly onSignedIn: (user: SessionUser) => Promise<void>;
  /** Restarts the sign-in, with a message. */
  readonly onEnd: (note?: string) => void;
}

export function MfaStep({ pending, email, canTrust, hasPasskeys, onAnswer, onSignedIn, onEnd }: Props) {
  const t = useResultText().mfa;
  const [kind, setKind] = useState<'code' | 'recovery_code'>('code');
  const [isTrusted, setTrusted] = useState(false);
  const answer = useChallenge({ pending, isTrusted, onSignedIn, onEnd });
  const passkey = usePasskey(() => email || undefined, onAnswer);
  const other = kind === 'code' ? 'recovery_code' : 'code';
  return (
    <Frame
      title={t.title}
      lead={t.leads[kind]}
      below={
        <button type="button" className="link" onClick={() => onEnd()}>
          {t.startAgain}
        </button>
      }
    >
      {email && (
        <p className={classes.account}>
          <Icon name="user" />
          <span className="visually-hidden">{t.account}</span> {email}
        </p>
      )}
      <PasskeyNote error={passkey.error} />
      <MfaForm key={kind} kind={kind} onAnswer={answer}>
        {canTrust && <Checkbox label={t.trust} description={t.trustHint} checked={isTrusted} onChange={setTrusted} />}
      </MfaForm>
      <Stack gap="small">
        <Button variant="subtle" onClick={() => setKind(other)}>
          {t.use[other]}
        </Button>
        {hasPasskeys && (
          <Button variant="subtle" loading={passkey.busy} onClick={() => void passkey.run()}>
            {t.usePasskey}
          </Button>
        )}
      </Stack>
      <NotMine />
    </Frame>
  );
}

/** For the owner of the mailbox if someone else has registered the account and turned on a second factor. */
function NotMine() {
  const t = useResultText().mfa.notMine;
  return (
    <details className={classes.details}>
      <summary className={classes.summary}>{t.summary}</summary>
      <p>
        {t.text} <a href="/forgot-password">{t.link}</a>
      </p>
    </details>
  );
}
