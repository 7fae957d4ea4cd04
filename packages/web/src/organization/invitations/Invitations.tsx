import { Button, Stack } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Empty } from '../../app/Empty.tsx';
import { PageHead } from '../../app/PageHead.tsx';
import { useHome, usePermission } from '../../app/session.ts';
import { Panel } from '../../ui/Panel.tsx';
import { useText } from '../text.ts';
import { InvitationList } from './InvitationList.tsx';
import { InviteForm } from './InviteForm.tsx';

/** The invitations. Members without the permission are told who may invite. */
export function Page() {
  const t = useText().invitations;
  const home = useHome();
  const mayInvite = usePermission('members.invite');
  if (!mayInvite)
    return (
      <>
        <PageHead title={t.title} />
        <Panel>
          <Empty icon="mail" title={t.notYours}>
            <Stack align="center">
              {t.notYoursHint}
              <Button variant="default" component={Link} to="/organization/members">
                {t.seeMembers}
              </Button>
            </Stack>
          </Empty>
        </Panel>
      </>
    );
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
