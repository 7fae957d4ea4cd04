import { Stack, Text } from '@mantine/core';
import { ConfirmButton } from '../../app/ConfirmButton.tsx';
import { useHome, useMe, useSession } from '../../app/session.ts';
import { client } from '../../ui/client.ts';
import { useText } from '../text.ts';

/** Out of the organization, by oneself. The session was of this organization, and ends with it. */
export function LeaveButton() {
  const t = useText().remove;
  const { user } = useSession();
  const hasOthers = useMe().memberships.length > 1;
  return (
    <ConfirmButton
      title={t.leaveTitle(useHome()?.organization_name ?? '')}
      question={
        <Stack gap="xs">
          <Text>{t.leaveQuestion}</Text>
          <Text>{hasOthers ? t.leaveOthers : t.leaveNone}</Text>
        </Stack>
      }
      verb={t.leave}
      sentences={{ conflict: t.leaveClash }}
      work={async () => {
        await client.members.remove(user.organization_id, user.user_id);
        location.assign('/signed-out');
      }}
    >
      {t.leave}
    </ConfirmButton>
  );
}
