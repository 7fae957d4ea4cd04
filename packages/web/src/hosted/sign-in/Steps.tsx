import type { LoginResponse, SessionUser, SignInOptions } from '@gatehouse/contract';
import { Anchor } from '@mantine/core';
import { lazy, useCallback, useState } from 'react';
import { Note } from '../../ui/ErrorNote.tsx';
import { Frame } from '../Frame.tsx';
import { MfaStep } from '../mfa/MfaStep.tsx';
import { type PendingSignIn, pendingSignInOf } from '../mfa/pending-sign-in.ts';
import { clearUnasked, hasUnproven, markUnasked } from '../reclaim/unasked.ts';
import { leadingTo, leaveFor } from '../target.ts';
import { useText } from '../text.ts';
import { EmailCode } from './EmailCode.tsx';
import { FailureNote } from './FailureNote.tsx';
import { SignInMethods } from './SignInMethods.tsx';

const Reclaim = lazy(() => import('../reclaim/Reclaim.tsx').then(({ Reclaim }) => ({ default: Reclaim })));

interface Props {
  readonly options: SignInOptions;
  readonly target: string;
  readonly failure: string | null;
  /** Set if the page was reloaded after sign-in, before the user has decided which credentials to keep. */
  readonly unasked?: SessionUser | undefined;
}

type Step =
  | { readonly at: 'ways'; readonly email?: string; readonly note?: string }
  | { readonly at: 'code'; readonly email: string }
  | { readonly at: 'mfa'; readonly pending: PendingSignIn }
  | { readonly at: 'reclaim'; readonly user: SessionUser };

export function Steps({ options, target, failure, unasked }: Props) {
  const t = useText();
  const [step, setStep] = useState<Step>(unasked ? { at: 'reclaim', user: unasked } : { at: 'ways' });
  const [isBegun, setBegun] = useState(false);

  const leave = async (user: SessionUser): Promise<void> => {
    if (!hasUnproven(user)) return leaveFor(target);
    markUnasked();
    setStep({ at: 'reclaim', user });
  };
  const finish = async (answer: LoginResponse): Promise<void> => {
    if (answer.status === 'success') return leave(answer.user);
    setBegun(true);
    setStep({ at: 'mfa', pending: pendingSignInOf(answer) });
  };
  const restart = useCallback((note?: string) => {
    clearUnasked();
    setStep({ at: 'ways', note });
  }, []);

  if (step.at === 'reclaim') {
    return <Reclaim user={step.user} options={options} target={target} onRestart={restart} />;
  }
  if (step.at === 'mfa') return <MfaStep pending={step.pending} canTrust onSignedIn={leave} onEnd={restart} />;
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
      <SignInMethods
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
