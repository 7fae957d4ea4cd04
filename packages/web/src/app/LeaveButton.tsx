import { Stack, Text } from '@mantine/core';
import { client } from '../ui/client.ts';
import { ConfirmButton } from './ConfirmButton.tsx';
import { useOthers } from './owners.ts';
import { useHome, useMe, useSession } from './session.ts';
import { useText } from './text.ts';

/** Returns why the signed-in user cannot leave the organization of the session, and what to do; else undefined. */
export function useLeaveHint(): string | undefined {
  const t = useText().leave;
  const { role } = useSession().capabilities;
  const others = useOthers();
  if (role !== 'owner' || !others || others.hasOwner) return undefined;
  return others.hasMember ? t.lastOwner : t.onlyMember;
}

/** Leaves the organization of the session, which ends the session. Not for its last owner: show `useLeaveHint`. */
export function LeaveButton() {
  const t = useText().leave;
  const me = useMe();
  const { user, capabilities } = useSession();
  const name = useHome()?.organization_name ?? '';
  const others = useOthers();
  const hasOthers = me.memberships.length > 1;
  const leave = async () => {
    await client.members.remove(user.organization_id, me.id);
    location.assign(
      hasOthers ? `/sign-in?${new URLSearchParams({ redirect_to: '/account/organizations' })}` : '/signed-out',
    );
  };
  if (capabilities.role === 'owner' && !others?.hasOwner) return null;
  return (
    <ConfirmButton
      label={t.label(name)}
      title={t.title(name)}
      question={
        <Stack gap="xs">
          <Text>{t.question}</Text>
          <Text>{hasOthers ? t.others : t.none}</Text>
        </Stack>
      }
      verb={t.verb}
      work={leave}
      sentences={{ conflict: me.platform_role === 'owner' ? t.lastPlatformOwner : t.lastOwner }}
    />
  );
}
