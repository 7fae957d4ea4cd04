import { Stack, Text } from '@mantine/core';
import { client } from '../ui/client.ts';
import { ConfirmButton } from './ConfirmButton.tsx';
import { useHome, useMe, useSession } from './session.ts';
import { useText } from './text.ts';

/** Leaves the organization of the session, which ends the session. */
export function LeaveButton() {
  const t = useText().leave;
  const me = useMe();
  const { organization_id } = useSession().user;
  const name = useHome()?.organization_name ?? '';
  const hasOthers = me.memberships.length > 1;
  const leave = async () => {
    await client.members.remove(organization_id, me.id);
    location.assign(
      hasOthers ? `/sign-in?${new URLSearchParams({ redirect_to: '/account/organizations' })}` : '/signed-out',
    );
  };
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
    >
      {t.verb}
    </ConfirmButton>
  );
}
