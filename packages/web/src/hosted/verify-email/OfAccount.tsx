import type { EmailVerifyPreview } from '@gatehouse/contract';
import type { ReactNode } from 'react';
import { Created } from '../Created.tsx';
import { Frame } from '../Frame.tsx';
import { useResultText } from '../results/text.ts';
import { Confirm, type Outcome } from './Confirm.tsx';

interface Props {
  readonly token: string;
  readonly link: EmailVerifyPreview;
  /** Whether the visitor is signed in to the account of the link. */
  readonly isOwn: boolean;
  readonly isDead: (error: unknown) => boolean;
  readonly onEnd: (outcome: Outcome) => void;
  readonly below: ReactNode;
}

/**
 * Verifies the address of an account. A visitor who is not signed in to it may not have created it, so they can remove
 * its credentials.
 */
export function OfAccount({ link: { email, account }, isOwn, below, ...rest }: Props) {
  const t = useResultText().verify.verification;
  if (isOwn || !account?.unproven) {
    return (
      <Frame title={t.title} lead={t.lead(email)} below={below}>
        <Confirm {...rest} label={t.submit} />
      </Frame>
    );
  }
  return (
    <Frame
      title={t.title}
      lead={
        <>
          {t.ask(email)} <Created at={account.created_at} device={account.device} />
        </>
      }
      below={below}
    >
      <Confirm {...rest} label={t.mine} disown={{ explanation: t.notMine, label: t.disown }} />
    </Frame>
  );
}
