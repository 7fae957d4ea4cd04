import type { InvitationPreview } from '@gatehouse/contract';
import type { ReactNode } from 'react';
import { useLanguage } from '../../ui/language.tsx';
import { useWords } from '../../ui/words.ts';
import { Frame } from '../Frame.tsx';
import { useResultText } from '../results/text.ts';

interface Props {
  readonly invitation: InvitationPreview;
  readonly children: ReactNode;
  readonly below?: ReactNode;
}

export function InvitationFrame({ invitation, children, below }: Props) {
  const t = useResultText().invitation;
  const words = useWords();
  const { language } = useLanguage();
  const { organization_name, inviter_email, role, expires_at } = invitation;
  const until = new Date(expires_at).toLocaleDateString(language, { dateStyle: 'long' });
  return (
    <Frame
      title={t.title(organization_name)}
      lead={t.lead({ by: inviter_email, organization: organization_name, role: words.roles[role], until })}
      below={below}
    >
      {children}
    </Frame>
  );
}
