import type { User } from '@gatehouse/contract';
import { ConfirmButton } from '../../app/ConfirmButton.tsx';
import { client } from '../../ui/client.ts';
import { useText } from '../people-text.ts';
import { Row } from './Row.tsx';
import { useChange } from './use-change.ts';

/** For good, so the email has to be typed. */
export function DeleteRow({ user }: { user: User }) {
  const t = useText().user;
  const { isMe, change } = useChange(user);
  return (
    <Row title={t.delete} hint={t.deleteText}>
      <ConfirmButton
        size="sm"
        color="red"
        variant="outline"
        title={t.deleteAsk(user.display_name || user.email)}
        question={isMe ? t.deleteSelf : t.deleteQuestion}
        typed={{ label: t.deleteTyped(user.email), text: user.email }}
        verb={t.delete}
        sentences={{ conflict: t.lastOwner, forbidden: t.rankChanged }}
        work={change(() => client.users.remove(user.id), { endsSessions: true })}
      >
        {t.delete}
      </ConfirmButton>
    </Row>
  );
}
