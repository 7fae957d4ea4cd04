import { useState } from 'react';
import { Loaded } from '../Loaded.tsx';
import { forgetToken } from '../token.ts';
import { AsMyself } from './AsMyself.tsx';
import { type Ending, findOffer } from './find.ts';
import { Joined } from './Joined.tsx';
import { takeInvitationToken } from './kept.ts';
import { Newcomer } from './Newcomer.tsx';
import { NothingToAccept } from './NothingToAccept.tsx';
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
