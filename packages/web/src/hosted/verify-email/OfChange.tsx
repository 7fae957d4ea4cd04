import type { ReactNode } from 'react';
import { Frame } from '../Frame.tsx';
import { useResultText } from '../results/text.ts';
import { Confirm, type Outcome } from './Confirm.tsx';

interface Props {
  readonly token: string;
  readonly email: string;
  readonly isDead: (error: unknown) => boolean;
  readonly onEnd: (outcome: Outcome) => void;
  readonly below: ReactNode;
}

/** Confirms a new address, or cancels: it may have been typed into someone else's account by mistake. */
export function OfChange({ email, below, ...rest }: Props) {
  const t = useResultText().verify.change;
  return (
    <Frame title={t.title} lead={t.lead(email)} below={below}>
      <Confirm {...rest} label={t.submit} disown={{ label: t.disown }} />
    </Frame>
  );
}
