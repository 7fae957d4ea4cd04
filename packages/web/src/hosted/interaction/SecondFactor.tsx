import { isGatehouseError } from '@gatehouse/client';
import { useState } from 'react';
import { client } from '../../ui/client.ts';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { useAction } from '../../ui/use-action.ts';
import { useWords } from '../../ui/words.ts';
import { Frame } from '../Frame.tsx';
import { Loaded } from '../Loaded.tsx';
import { MfaForm } from '../mfa/MfaForm.tsx';
import { Button } from '../parts/Button.tsx';
import { Stack } from '../parts/Stack.tsx';
import { useResultText } from '../results/text.ts';
import { PasskeyNote } from '../sign-in/PasskeyNote.tsx';
import { usePasskey } from '../sign-in/use-passkey.ts';
import { Choice } from './Choice.tsx';
import type { StepProps } from './step-props.ts';
import { useText } from './text.ts';

const load = async () => {
  const [status, passkeys] = await Promise.all([client.mfa.status(), client.passkeys.list()]);
  return { hasTotp: status.enabled, hasPasskeys: passkeys.items.length > 0 };
};

export function SecondFactor(props: StepProps) {
  // A session of single sign-on may not read its factors. It gets here only if there is an authenticator app.
  if (props.session.user.extensions.connection_id !== undefined) {
    return <Verify {...props} hasTotp hasPasskeys={false} />;
  }
  return (
    <Loaded load={load}>
      {({ hasTotp, hasPasskeys }) =>
        hasTotp || hasPasskeys ? (
          <Verify {...props} hasTotp={hasTotp} hasPasskeys={hasPasskeys} />
        ) : (
          <Enrol {...props} />
        )
      }
    </Loaded>
  );
}

interface Factors {
  readonly hasTotp: boolean;
  readonly hasPasskeys: boolean;
}

function Verify({ interaction, session, decide, hasTotp, hasPasskeys }: StepProps & Factors) {
  const t = useText();
  const hosted = useResultText().mfa;
  const [kind, setKind] = useState<'code' | 'recovery_code'>('code');
  const other = kind === 'code' ? 'recovery_code' : 'code';
  const passkey = usePasskey(
    () => session.user.email,
    () => decide('allow'),
  );
  const deny = useAction(() => decide('deny'));
  const lead = t.secondFactor.lead(interaction.application?.name ?? t.fallbackName);
  return (
    <Frame title={hosted.title} lead={hasTotp ? `${lead} ${hosted.leads[kind]}` : lead}>
      <PasskeyNote error={passkey.error} />
      {hasTotp && (
        <MfaForm
          key={kind}
          kind={kind}
          onAnswer={async (answer) => {
            await client.mfa.verify(answer);
            await decide('allow');
          }}
        >
          {null}
        </MfaForm>
      )}
      <ErrorNote error={deny.error} />
      <Stack gap="small">
        {hasPasskeys && (
          <Button variant={hasTotp ? 'subtle' : 'filled'} loading={passkey.busy} onClick={() => void passkey.run()}>
            {hosted.usePasskey}
          </Button>
        )}
        {hasTotp && (
          <Button variant="subtle" onClick={() => setKind(other)}>
            {hosted.use[other]}
          </Button>
        )}
        <Button variant="subtle" loading={deny.busy} onClick={() => void deny.run()}>
          {t.secondFactor.deny}
        </Button>
      </Stack>
    </Frame>
  );
}

function Enrol({ interaction, decide }: StepProps) {
  const t = useText();
  const words = useWords();
  const [isMissing, setMissing] = useState(false);
  const allow = async () => {
    setMissing(false);
    await decide('allow').catch((error: unknown) => {
      if (!isGatehouseError(error, 'mfa_required')) throw error;
      setMissing(true);
    });
  };
  return (
    <Frame
      title={t.secondFactor.enrolTitle}
      lead={t.secondFactor.enrol(interaction.application?.name ?? t.fallbackName)}
    >
      <a href="/account/security" target="_blank" rel="noreferrer">
        {t.secondFactor.toSecurity}
      </a>
      <div role="status">{isMissing && t.secondFactor.notYet}</div>
      <Choice deny={t.secondFactor.deny} allow={words.continue} onDeny={() => decide('deny')} onAllow={allow} />
    </Frame>
  );
}
