import { Button } from '@mantine/core';
import { useState } from 'react';
import { Frame } from '../Frame.tsx';
import { Loaded } from '../Loaded.tsx';
import { ACCOUNT } from '../target.ts';
import { useText } from '../text.ts';
import { forgetToken } from '../token.ts';
import { AsMyself } from './AsMyself.tsx';
import { type Ending, findOffer, type Over } from './find.ts';
import { Joined } from './Joined.tsx';
import { takeInvitationToken } from './kept.ts';
import { Newcomer } from './Newcomer.tsx';
import { SomebodyElse } from './SomebodyElse.tsx';

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
        if (!session) return <Newcomer offer={found} onEnd={end} onOutdated={again} />;
        if (session.user.email !== invitation.email) return <SomebodyElse offer={found} onLeft={again} />;
        return <AsMyself offer={found} onEnd={end} onOutdated={again} />;
      }}
    </Loaded>
  );
}

function NothingToAccept({ why }: { why: Over }) {
  const t = useText();
  return (
    <Frame title={t.invitation.over[why].title} lead={t.invitation.over[why].lead}>
      <Button component="a" href={ACCOUNT}>
        {t.toAccount}
      </Button>
      <Button component="a" href="/" variant="default">
        {t.toHome}
      </Button>
    </Frame>
  );
}
