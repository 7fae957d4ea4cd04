import type { User } from '@gatehouse/contract';
import { Text } from '@mantine/core';
import { useState } from 'react';
import { reloadSession, usePlatformRole } from '../../app/session.ts';
import { client } from '../../ui/client.ts';
import { Panel } from '../../ui/Panel.tsx';
import { Row } from './Row.tsx';
import { StatusRow } from './StatusRow.tsx';
import { useText } from './text.ts';
import { useChange } from './use-change.ts';

/** Actions of admins on an account, unless it has a higher platform role or is deleted. */
export function AccessPanel({ user }: { user: User }) {
  const t = useText().user;
  const isAdmin = usePlatformRole('admin');
  const isInReach = usePlatformRole(user.platform_role ?? 'admin');
  if (user.status === 'deleted')
    return (
      <Panel title={t.access}>
        <Text>{t.deleted}</Text>
      </Panel>
    );
  if (!isAdmin) return null;
  if (!isInReach)
    return (
      <Panel title={t.access}>
        <Text>{t.above}</Text>
      </Panel>
    );
  return (
    <Panel title={t.access}>
      <SessionsRow user={user} />
      {user.mfa_enabled && <MfaRow user={user} />}
      {/* The key closes an open dialog when another admin changes the status: confirming it would then do the
          opposite. */}
      <StatusRow key={user.status} user={user} />
      <DeleteRow user={user} />
    </Panel>
  );
}

/** Deletion is permanent, so the email has to be typed. */
function DeleteRow({ user }: { user: User }) {
  const t = useText().user;
  const { isMe, change } = useChange(user);
  return (
    <Row
      title={t.delete}
      hint={t.deleteText}
      color="red"
      variant="outline"
      ask={t.deleteAsk(user.display_name || user.email)}
      question={isMe ? t.deleteSelf : t.deleteQuestion}
      typed={{ label: t.deleteTyped(user.email), text: user.email }}
      verb={t.delete}
      sentences={{ conflict: t.lastOwner, forbidden: t.rankChanged }}
      work={change(() => client.users.remove(user.id), { endsSessions: true })}
    />
  );
}

function MfaRow({ user }: { user: User }) {
  const t = useText().user;
  const { isMe, change } = useChange(user);
  const reset = change(() => client.users.resetMfa(user.id));
  return (
    <Row
      title={t.twoSteps}
      hint={t.resetMfaText}
      ask={t.resetMfaAsk(user.display_name || user.email)}
      question={isMe ? t.resetMfaSelf : t.resetMfaQuestion}
      verb={t.resetMfa}
      sentences={{ forbidden: t.rankChanged }}
      work={async () => {
        await reset();
        if (isMe) await reloadSession();
      }}
    />
  );
}

function SessionsRow({ user }: { user: User }) {
  const t = useText().user;
  const { isMe, change } = useChange(user);
  const [done, setDone] = useState(false);
  const end = change(() => client.users.signOut(user.id), { endsSessions: true });
  return (
    <Row
      title={t.signOut}
      hint={t.signOutText}
      done={done ? t.signedOut : undefined}
      ask={t.signOutAsk(user.display_name || user.email)}
      question={isMe ? t.signOutSelf : t.signOutQuestion}
      verb={t.signOut}
      sentences={{ forbidden: t.rankChanged }}
      work={async () => {
        await end();
        setDone(true);
      }}
    />
  );
}
