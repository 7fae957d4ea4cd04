import type { User } from '@gatehouse/contract';
import { client } from '../../ui/client.ts';
import { Row } from './Row.tsx';
import { useText } from './text.ts';
import { useChange } from './use-change.ts';

export function StatusRow({ user }: { user: User }) {
  const t = useText().user;
  const { isMe, change } = useChange(user);
  const name = user.display_name || user.email;
  if (user.status === 'disabled')
    return (
      <Row
        title={t.enable}
        hint={t.enableText}
        ask={t.enableAsk(name)}
        question={t.enableQuestion}
        verb={t.enable}
        danger={false}
        sentences={{ forbidden: t.rankChanged }}
        work={change(() => client.users.changeStatus(user.id, 'active'))}
      />
    );
  return (
    <Row
      title={t.disable}
      hint={t.disableText}
      ask={t.disableAsk(name)}
      question={isMe ? t.disableSelf : t.disableQuestion}
      verb={t.disable}
      sentences={{ conflict: t.lastOwner, forbidden: t.rankChanged }}
      work={change(() => client.users.changeStatus(user.id, 'disabled'), { endsSessions: true })}
    />
  );
}
