import { useState } from 'react';
import { isSsoSession } from '../../ui/sso-session.ts';
import { Frame } from '../Frame.tsx';
import { Loaded } from '../Loaded.tsx';
import { ButtonLink } from '../parts/Button.tsx';
import { useResultText } from '../results/text.ts';
import { ACCOUNT } from '../target.ts';
import { useText } from '../text.ts';
import { forgetToken } from '../token.ts';
import { type Ending, findOffer, type Over } from './find.ts';
import { InvitedUser } from './InvitedUser.tsx';
import { Joined } from './Joined.tsx';
import { NewAccount } from './NewAccount.tsx';
import { OtherUser } from './OtherUser.tsx';
import { takeInvitationToken } from './stored-token.ts';

const token = takeInvitationToken();
const load = () => findOffer(token);

export function Page() {
  const [ending, setEnding] = useState<Ending>();
  const end = (how: Ending) => {
    forgetToken();
    setEnding(how);
  };
  return (
    <Loaded load={load}>
      {(found, again) => {
        if (typeof found === 'string') return <NothingToAccept why={found} />;
        if (typeof ending === 'string') return <NothingToAccept why={ending} />;
        const { session, invitation } = found;
        if (ending) return <Joined {...ending} name={invitation.organization_name} />;
        // A session of single sign-on cannot accept an invitation: the service ignores it.
        if (!session || isSsoSession(session.user)) return <NewAccount offer={found} onEnd={end} onOutdated={again} />;
        if (session.user.email !== invitation.email) return <OtherUser offer={found} onLeft={again} />;
        return <InvitedUser offer={found} onEnd={end} onOutdated={again} />;
      }}
    </Loaded>
  );
}

function NothingToAccept({ why }: { why: Over }) {
  const t = useText();
  const more = useResultText();
  return (
    <Frame title={more.invitation.over[why].title} lead={more.invitation.over[why].lead}>
      <ButtonLink href={ACCOUNT}>{t.toAccount}</ButtonLink>
      <ButtonLink href="/" variant="default">
        {t.toHome}
      </ButtonLink>
    </Frame>
  );
}
