import type { User } from '@gatehouse/contract';
import { useState } from 'react';
import { ConfirmButton } from '../../app/ConfirmButton.tsx';
import { client } from '../../ui/client.ts';
import { useText } from '../people-text.ts';
import { Row } from './Row.tsx';
import { useChange } from './use-change.ts';

export function SessionsRow({ user }: { user: User }) {
  const t = useText().user;
  const { isMe, change } = useChange(user);
  const [done, setDone] = useState(false);
  const end = change(() => client.users.signOut(user.id), { endsSessions: true });
  return (
    <Row title={t.signOut} hint={t.signOutText} done={done ? t.signedOut : undefined}>
      <ConfirmButton
        size="sm"
        title={t.signOutAsk(user.display_name || user.email)}
        question={isMe ? t.signOutSelf : t.signOutQuestion}
        verb={t.signOut}
        sentences={{ forbidden: t.rankChanged }}
        work={async () => {
          await end();
          setDone(true);
        }}
      >
        {t.signOut}
      </ConfirmButton>
    </Row>
  );
}
