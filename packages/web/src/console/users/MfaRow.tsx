import type { User } from '@gatehouse/contract';
import { ConfirmButton } from '../../app/ConfirmButton.tsx';
import { reloadSession } from '../../app/session.ts';
import { client } from '../../ui/client.ts';
import { useText } from '../people-text.ts';
import { Row } from './Row.tsx';
import { useChange } from './use-change.ts';

export function MfaRow({ user }: { user: User }) {
  const t = useText().user;
  const { isMe, change } = useChange(user);
  const reset = change(() => client.users.resetMfa(user.id));
  return (
    <Row title={t.twoSteps} hint={t.resetMfaText}>
      <ConfirmButton
        size="sm"
        title={t.resetMfaAsk(user.display_name || user.email)}
        question={isMe ? t.resetMfaSelf : t.resetMfaQuestion}
        verb={t.resetMfa}
        sentences={{ forbidden: t.rankChanged }}
        work={async () => {
          await reset();
          if (isMe) await reloadSession();
        }}
      >
        {t.resetMfa}
      </ConfirmButton>
    </Row>
  );
}
