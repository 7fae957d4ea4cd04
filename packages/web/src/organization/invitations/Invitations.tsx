import { Stack } from '@mantine/core';
import { PageHead } from '../../app/PageHead.tsx';
import { useHome, usePermission } from '../../app/session.ts';
import { NotAllowed } from '../NotAllowed.tsx';
import { useText } from '../text.ts';
import { InvitationList } from './InvitationList.tsx';
import { InviteForm } from './InviteForm.tsx';

export function Page() {
  const t = useText().invitations;
  const home = useHome();
  const mayInvite = usePermission('members.invite');
  if (!mayInvite) return <NotAllowed icon="mail" title={t.title} reason={t.notYours} hint={t.notYoursHint} />;
  return (
    <>
      <PageHead title={t.title} lead={home && t.lead(home.organization_name)} />
      <Stack>
        <InviteForm />
        <InvitationList />
      </Stack>
    </>
  );
}
