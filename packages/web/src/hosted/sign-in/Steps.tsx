import type { LoginResponse, SignInOptions } from '@gatehouse/contract';
import { Anchor } from '@mantine/core';
import { useCallback, useState } from 'react';
import { Note } from '../../ui/ErrorNote.tsx';
import { Frame } from '../Frame.tsx';
import { type Half, halfOf } from '../mfa/half.ts';
import { MfaStep } from '../mfa/MfaStep.tsx';
import { leadingTo, leaveFor } from '../target.ts';
import { useText } from '../text.ts';
import { EmailCode } from './EmailCode.tsx';
import { FailureNote } from './FailureNote.tsx';
import { Ways } from './Ways.tsx';

interface Props {
  readonly options: SignInOptions;
  readonly target: string;
  readonly failure: string | null;
}

type Step =
  | { readonly at: 'ways'; readonly email?: string; readonly note?: string }
  | { readonly at: 'code'; readonly email: string }
  | { readonly at: 'mfa'; readonly half: Half };

/** A sign-in from its beginning to where it leads. */
export function Steps({ options, target, failure }: Props) {
  const t = useText();
  const [step, setStep] = useState<Step>({ at: 'ways' });
  const [isBegun, setBegun] = useState(false);

  const finish = async (answer: LoginResponse): Promise<void> => {
    if (answer.status === 'success') return leaveFor(target);
    setBegun(true);
    setStep({ at: 'mfa', half: halfOf(answer) });
  };
  const restart = useCallback((note?: string) => setStep({ at: 'ways', note }), []);

  if (step.at === 'mfa') return <MfaStep half={step.half} target={target} canTrust onEnd={restart} />;
  if (step.at === 'code') {
    return <EmailCode email={step.email} onAnswer={finish} onBack={(email) => setStep({ at: 'ways', email })} />;
  }
  return (
    <Frame
      title={t.signIn.title}
      below={
        options.registration && (
          <>
            {t.signIn.noAccount} <Anchor href={leadingTo(target, '/register')}>{t.signIn.register}</Anchor>
          </>
        )
      }
    >
      {step.note ? <Note>{step.note}</Note> : !isBegun && <FailureNote failure={failure} />}
      <Ways
        options={options}
        target={target}
        email={step.email}
        onAnswer={finish}
        onCode={(email) => {
          setBegun(true);
          setStep({ at: 'code', email });
        }}
      />
    </Frame>
  );
}
