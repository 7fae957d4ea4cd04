import type { User } from '@gatehouse/contract';
import { Text } from '@mantine/core';
import { usePlatformRole } from '../../app/session.ts';
import { Panel } from '../../ui/Panel.tsx';
import { useText } from '../people-text.ts';
import { DeleteRow } from './DeleteRow.tsx';
import { MfaRow } from './MfaRow.tsx';
import { SessionsRow } from './SessionsRow.tsx';
import { StatusRow } from './StatusRow.tsx';

/** What admins may do to an account: nothing to one above them, nor to one that is gone. */
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
      {/* A change by somebody else must not turn an open question into its opposite. */}
      <StatusRow key={user.status} user={user} />
      <DeleteRow user={user} />
    </Panel>
  );
}
