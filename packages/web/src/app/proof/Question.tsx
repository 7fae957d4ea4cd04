import { NoFactor } from './NoFactor.tsx';
import { SecondFactor } from './SecondFactor.tsx';
import { SignInAgain } from './SignInAgain.tsx';

interface Props {
  readonly way: 'code' | 'sign-in' | 'none';
  readonly onDone: () => void;
  readonly onLeave: () => void;
}

export function Question({ way, onDone, onLeave }: Props) {
  if (way === 'code') return <SecondFactor onDone={onDone} />;
  if (way === 'sign-in') return <SignInAgain onDone={onDone} />;
  return <NoFactor onDone={onDone} onLeave={onLeave} />;
}
