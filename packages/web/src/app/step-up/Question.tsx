import type { StepUp } from '@gatehouse/client';
import { Enroll } from './Enroll.tsx';
import { SecondFactor } from './SecondFactor.tsx';
import { SignInAgain } from './SignInAgain.tsx';

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
