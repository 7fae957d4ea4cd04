import type { LoginResponse, SessionUser, SignInOptions } from '@gatehouse/contract';
import { lazy, useRef, useState } from 'react';
import { Note } from '../../ui/Note.tsx';
import { forgetEnded, hasEnded } from '../../ui/session-ended.ts';
import { client } from '../client.ts';
import { Frame } from '../Frame.tsx';
import { forgetKept, keep, readKept } from '../kept.ts';
import type { MfaStep } from '../mfa/MfaStep.tsx';
import { type PendingSignIn, pendingSignInOf } from '../mfa/pending-sign-in.ts';
import { clearUnasked, hasUnproven, markUnasked } from '../reclaim/unasked.ts';
import { leadingTo, leaveFor, onwardTo } from '../target.ts';
import { useText } from '../text.ts';
import { useStep } from '../use-step.ts';
import { FailureNote } from './FailureNote.tsx';
import { SignInMethods } from './SignInMethods.tsx';
import { offersPasskeys } from './use-passkey.ts';

// Loaded on demand: most sign-ins need none of these steps.
const AskForCode = lazy(() => import('./AskForCode.tsx').then(({ AskForCode }) => ({ default: AskForCode })));
const EnterCode = lazy(() => import('./EnterCode.tsx').then(({ EnterCode }) => ({ default: EnterCode })));
const Reclaim = lazy(() => import('../reclaim/Reclaim.tsx').then(({ Reclaim }) => ({ default: Reclaim })));

interface Props {
  readonly options: SignInOptions;
  readonly target: string;
  readonly failure: string | null;
  /** Set if the page was reloaded after sign-in, before the user has decided which credentials to keep. */
  readonly unasked?: SessionUser | undefined;
  readonly application?: string | undefined;
}

/** The names of the steps, which are also the hashes in their URLs. */
const STEPS = ['methods', 'email', 'code', 'second-step'] as const;
type StepName = (typeof STEPS)[number];

const CODE_LIFETIME_MS = 10 * 60_000;

const hasSentCode = (): boolean => Date.now() - (readKept().codeSentAt ?? 0) < CODE_LIFETIME_MS;

export function Steps({ options, target, failure, unasked, application }: Props) {
  const t = useText();
  const [user, setUser] = useState(unasked);
  const pending = useRef<PendingSignIn & { readonly Step: typeof MfaStep }>(undefined);
  const [note, setNote] = useState<string | undefined>(() =>
    location.hash === '#second-step' ? t.signIn.reloaded : undefined,
  );
  const [isEnded] = useState(hasEnded);
  const [isBegun, setBegun] = useState(false);
  const [step, show] = useStep<StepName>(STEPS, (wanted) => {
    if (wanted === 'code' && !hasSentCode()) return 'email';
    // The token of a pending sign-in is only in memory, so a reload loses it.
    if (wanted === 'second-step' && !(pending.current && pending.current.ends > Date.now())) return 'methods';
    return wanted;
  });

  const leave = async (signedIn: SessionUser): Promise<void> => {
    forgetKept();
    forgetEnded();
    // A restricted session cannot remove credentials.
    const isRestricted = signedIn.extensions.restricted !== undefined;
    if (isRestricted || !hasUnproven(signedIn)) return leaveFor(onwardTo(target, signedIn));
    markUnasked();
    setUser(signedIn);
  };
  const begin = (next: StepName) => {
    setBegun(true);
    setNote(undefined);
    show(next);
  };
  const finish = async (answer: LoginResponse, email?: string): Promise<void> => {
    if (answer.status === 'success') return leave(answer.user);
    // Loaded on demand: most sign-ins have no second factor.
    const { MfaStep: Step } = await import('../mfa/MfaStep.tsx');
    pending.current = { ...pendingSignInOf(answer), Step };
    if (email !== undefined) keep({ email });
    begin('second-step');
  };
  const restart = (why?: string) => {
    clearUnasked();
    pending.current = undefined;
    setUser(undefined);
    setBegun(true);
    setNote(why);
    show('methods', { replace: true });
  };
  const sendCode = async (to: string) => {
    await client.signIn.requestEmailCode(to);
    keep({ email: to, codeSentAt: Date.now() });
    if (step !== 'code') begin('code');
  };

  if (user) return <Reclaim user={user} options={options} target={target} onRestart={restart} />;
  const { email = '' } = readKept();
  if (step === 'second-step' && pending.current) {
    const { Step } = pending.current;
    return (
      <Step
        pending={pending.current}
        email={email}
        canTrust
        hasPasskeys={offersPasskeys(options)}
        onAnswer={finish}
        onSignedIn={leave}
        onEnd={restart}
      />
    );
  }
  const otherWay = (
    <button type="button" className="link" onClick={() => begin('methods')}>
      {t.code.otherWay}
    </button>
  );
  if (step === 'email') {
    return (
      <Frame title={t.code.title} lead={t.code.lead} below={otherWay}>
        <AskForCode email={email} onSend={sendCode} />
      </Frame>
    );
  }
  if (step === 'code') {
    return (
      <Frame title={t.code.enterTitle} lead={t.code.sent(email)} below={otherWay}>
        <EnterCode email={email} onSend={sendCode} onAnswer={(answer) => finish(answer, email)} />
      </Frame>
    );
  }
  return (
    <Frame
      title={t.signIn.title}
      lead={application && t.signIn.continueTo(application)}
      below={
        options.registration && (
          <>
            {t.signIn.noAccount} <a href={leadingTo(target, '/register')}>{t.signIn.register}</a>
          </>
        )
      }
    >
      {note ? <Note>{note}</Note> : !isBegun && <FailureNote failure={failure} />}
      {isEnded && !isBegun && <Note tone="info">{t.signIn.ended}</Note>}
      <SignInMethods options={options} target={target} onAnswer={finish} onCode={() => begin('email')} />
    </Frame>
  );
}
